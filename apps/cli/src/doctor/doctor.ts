import process from 'node:process'
import { silentLog } from '@posthorn/engine'
import type { Database } from '@posthorn/server'
import {
  ConfigurationError,
  allMigrations,
  installedSystems,
  readConfiguration,
} from '@posthorn/server'
import type { DoctorOptions } from '../commands/doctor.ts'
import type { Environment } from '../environment.ts'
import { hasDatabase, openToLook, variablesOf } from '../environment.ts'
import type { ExitCode } from '../exit.ts'
import { EXIT } from '../exit.ts'
import { open, sessionOf } from '../session.ts'
import { readStatus } from '../status.ts'
import type { Terminal } from '../terminal.ts'
import { explain } from '../trouble.ts'
import { checkBrokers } from './brokers.ts'
import { checkClock, checkMigrations, checkServer, checkTransactions } from './database.ts'
import type { Finding } from './finding.ts'
import { examine, fail, ok } from './finding.ts'
import { checkConfiguration, checkFolder, checkNode } from './machine.ts'
import { checkTable, checkWork } from './outboxes.ts'
import { findingLines, summaryOf } from './report.ts'

type Tell = (findings: readonly Finding[]) => void

/** Checks from the ground up: what rests on something that failed is not tried. */
export async function runDoctor(terminal: Terminal, options: DoctorOptions): Promise<ExitCode> {
  const findings: Finding[] = []
  const tell: Tell = (found) => {
    findings.push(...found)
    if (options.json) return
    for (const line of found.flatMap((each) => findingLines(each, terminal))) terminal.print(line)
  }
  await checkAll(terminal, variablesOf(terminal, options), tell)
  const failed = hasFailed(findings)
  if (options.json) terminal.printJson({ healthy: !failed, findings })
  else terminal.say(summaryOf(findings))
  return failed ? EXIT.failed : EXIT.ok
}

async function checkAll(terminal: Terminal, env: NodeJS.ProcessEnv, tell: Tell): Promise<void> {
  tell([checkNode(process.versions.node)])
  const environment = await readStrictly(env)
  if ('mistakes' in environment) return tell(environment.mistakes)
  const { configuration } = environment
  tell(checkConfiguration(configuration))
  tell(await examine('data folder', () => checkFolder(configuration)))
  if (configuration.databaseUrl === undefined && !(await hasDatabase(configuration))) return
  const database = await open(terminal, configuration).catch((error: unknown) => {
    const todo = 'see that it runs, and that DATABASE_URL is right'
    tell([fail('database', explain(error), todo)])
  })
  if (!database) return
  await using _ = database
  tell([ok('database', database.where)])
  await checkDatabase(database, environment, tell)
}

async function checkDatabase(
  database: Database,
  environment: Environment,
  tell: Tell,
): Promise<void> {
  const { configuration, systems } = environment
  const { outboxes, transports } = await openToLook(environment, database.pool)
  const session = sessionOf(database, outboxes)
  const { db } = session
  tell(await examine('server', () => checkServer(db, configuration, outboxes)))
  tell(
    await examine('brokers', () =>
      checkBrokers({ configuration, transports, pool: database.pool, log: silentLog }),
    ),
  )
  tell(await examine('transactions', () => checkTransactions(db)))
  const sets = await allMigrations(systems)
  const migrations = await examine('migrations', () => checkMigrations(db, sets))
  tell(migrations)
  if (hasFailed(migrations)) return
  tell(await examine('clock', () => checkClock(db, configuration)))
  const tables: Finding[] = []
  for (const outbox of outboxes) {
    tables.push(...(await examine(outbox.name, () => checkTable(db, outbox))))
  }
  tell(tables)
  // A table that is not as it should be cannot be counted.
  if (hasFailed(tables)) return
  tell(await examine('outboxes', async () => checkWork(await readStatus(session))))
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'fail')
}

/** As a server would read it: what only a server needs must be there too. */
async function readStrictly(
  env: NodeJS.ProcessEnv,
): Promise<Environment | { readonly mistakes: readonly Finding[] }> {
  try {
    const systems = await installedSystems(env)
    return { systems, configuration: readConfiguration(env, systems) }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const todo = 'set it right in the environment'
    return { mistakes: error.mistakes.map((mistake) => fail('configuration', mistake, todo)) }
  }
}

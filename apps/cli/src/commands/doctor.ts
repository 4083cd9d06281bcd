import process from 'node:process'
import { silentLog } from '@posthorn/engine'
import { readConsumers, readRuns } from '@posthorn/operate/internal'
import {
  ConfigurationError,
  allMigrations,
  loadSystems,
  readConfiguration,
  type Database,
  type Opened,
} from '@posthorn/server'
import { examples, onDatabase, withJson, type DatabaseOptions, type Define } from '../options.ts'
import { hasDatabase, openToLook, variablesOf, type Environment } from '../environment.ts'
import { EXIT, explain, type ExitCode } from '../errors.ts'
import { open, sessionOf, type Session } from '../session.ts'
import { readStatus } from './status.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { pluralise } from '../terminal/words.ts'
import { checkBrokers } from '../doctor/broker/brokers.ts'
import { checkConfiguration, checkSecrets } from '../doctor/configuration.ts'
import { examine, fail, hasFailed, ok, type Finding, type Level } from '../doctor/finding.ts'
import { checkDataFolder, checkNode, checkOpenFiles, checkOwnFolders } from '../doctor/machine.ts'
import { selectRelayFacts } from '../doctor/outbox/queries.ts'
import { checkHotTables, checkTable } from '../doctor/outbox/table.ts'
import { checkLeases, checkWork } from '../doctor/outbox/work.ts'
import {
  checkClock,
  checkConsumers,
  checkKeys,
  checkMigrations,
  checkRetention,
} from '../doctor/engine.ts'
import { checkHorizon, checkLocks } from '../doctor/postgres/transactions.ts'
import { checkServer, checkSkew, checkWakeUps } from '../doctor/postgres/server.ts'
import { checkSettings } from '../doctor/postgres/settings.ts'

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const

type Tell = (findings: readonly Finding[]) => void

interface DoctorOptions extends DatabaseOptions {
  readonly strict?: true
}

export const defineDoctor: Define = (command, { terminal, end }) => {
  command.option('--strict', 'exit with 3 if there are warnings')
  onDatabase(withJson(command)).action(async (options: DoctorOptions) =>
    end(await runDoctor(terminal, options)),
  )
  examples(command, ['doctor', 'doctor --json | jq \'.findings[] | select(.level != "ok")\''])
}

/** Checks from the ground up: a check is left out if one that it rests on has failed. */
async function runDoctor(terminal: Terminal, options: DoctorOptions): Promise<ExitCode> {
  const findings: Finding[] = []
  const tell: Tell = (found) => {
    findings.push(...found)
    if (options.json) return
    for (const line of found.flatMap((each) => findingLines(each, terminal))) terminal.print(line)
  }
  await checkAll(terminal, variablesOf(terminal, options), tell)
  if (options.json) terminal.printJson(asJson(findings))
  else terminal.say(summaryOf(findings))
  return exitOf(findings, options)
}

/** All findings at once. */
export async function diagnose(
  terminal: Terminal,
  options: DatabaseOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await checkAll(terminal, variablesOf(terminal, options), (found) => findings.push(...found))
  return findings
}

/** Every field, as all commands print them. */
function asJson(findings: readonly Finding[]) {
  return {
    healthy: !hasFailed(findings),
    findings: findings.map(({ todo = null, run = null, ...found }) => ({ ...found, todo, run })),
  }
}

function exitOf(findings: readonly Finding[], { strict }: DoctorOptions): ExitCode {
  if (hasFailed(findings)) return EXIT.failed
  return strict && findings.some(({ level }) => level === 'warn') ? EXIT.negative : EXIT.ok
}

async function checkAll(terminal: Terminal, env: NodeJS.ProcessEnv, tell: Tell): Promise<void> {
  tell([checkNode(process.versions.node), ...checkOpenFiles()])
  const environment = await readStrictly(env)
  if ('mistakes' in environment) return tell(environment.mistakes)
  const { configuration, systems } = environment
  tell(checkConfiguration(configuration, { env, systems }))
  tell(checkSecrets(configuration, { env, systems }))
  tell(await examine('data folder', () => checkDataFolder(configuration)))
  tell(await examine('storage', () => checkOwnFolders(configuration, systems)))
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
  const { pool } = database
  const opened = await openToLook(environment, pool)
  const { outboxes } = opened
  const session = sessionOf(database, outboxes)
  const { db } = session
  const server = await examine('server', () => checkServer(db, configuration, outboxes))
  tell(server)
  // Version and connections are two findings: with one alone the server did not answer.
  if (server.length === 1) return
  tell(await examine('settings', () => checkSettings(db, configuration)))
  tell(await examine('time', () => checkSkew(db)))
  tell(await examine('wake-ups', () => checkWakeUps(pool, configuration)))
  tell(await examine('transactions', () => checkHorizon(db)))
  tell(await examine('locks', () => checkLocks(db, outboxes)))
  const log = silentLog
  tell(await examine('brokers', () => checkBrokers({ configuration, opened, pool, log })))
  const sets = await allMigrations(systems)
  const migrations = await examine('migrations', () => checkMigrations(db, sets))
  tell(migrations)
  if (hasFailed(migrations)) return
  tell(await examine('clock', () => checkClock(db, configuration)))
  tell(await examine('consumers', async () => checkConsumers(await readConsumers(db))))
  tell(await examine('retention', async () => checkRetention(await readRuns(db))))
  tell(await examine('encryption', () => checkKeys(db, outboxes)))
  await checkOutboxes(session, opened, tell)
}

async function checkOutboxes(session: Session, { outboxes }: Opened, tell: Tell): Promise<void> {
  const { db } = session
  const tables: Finding[] = []
  for (const outbox of outboxes) {
    tables.push(...(await examine(outbox.name, () => checkTable(db, outbox))))
  }
  tell(tables)
  // A table that is not as it should be cannot be counted.
  if (hasFailed(tables)) return
  tell(await examine('vacuum', () => checkHotTables(db)))
  tell(
    await examine('outboxes', async () => {
      const status = await readStatus(session)
      const findings = checkWork(status, await selectRelayFacts(db))
      for (const each of status.outboxes) {
        const outbox = session.outboxes.get(each.name)
        if (outbox) findings.push(...(await checkLeases(db, outbox, each)))
      }
      return findings
    }),
  )
}

/** As a server would read it: what only a server needs must be there too. */
async function readStrictly(
  env: NodeJS.ProcessEnv,
): Promise<Environment | { readonly mistakes: readonly Finding[] }> {
  try {
    const systems = await loadSystems(env)
    return { systems, configuration: readConfiguration(env, systems) }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    const todo = 'set it right in the environment'
    return { mistakes: error.mistakes.map((mistake) => fail('configuration', mistake, todo)) }
  }
}

/** A finding as lines: what was found, below it what to do, and the SQL or command for it. */
function findingLines(finding: Finding, { paint }: Pick<Terminal, 'paint'>): string[] {
  const { check, level, says, todo, run } = finding
  const lines = [`${paint(STYLES[level], level.padEnd(4))}  ${check}: ${says}`]
  if (todo !== undefined) lines.push(`      → ${todo}`)
  if (run !== undefined) lines.push(`        ${run}`)
  return lines
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length
  const [failed, warned] = [count('fail'), count('warn')]
  if (failed + warned === 0) return 'all checks passed'
  const parts = [
    failed > 0 ? `${pluralise(failed, 'check')} failed` : '',
    warned > 0 ? pluralise(warned, 'warning') : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

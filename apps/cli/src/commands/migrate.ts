import { migrate, silentLog, type Log } from '@posthorn/engine'
import { setUpTables, tablesOf } from '@posthorn/engine/internal'
import { migrationSql, migrationStatus } from '@posthorn/operate'
import { allMigrations, loadSystems } from '@posthorn/server'
import type { Command } from 'commander'
import {
  collect,
  examples,
  onDatabase,
  withConfig,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { openToLook, openWithoutDatabase, readEnvironment, variablesOf } from '../environment.ts'
import { EXIT, UsageError, type ExitCode } from '../errors.ts'
import { startProgress } from '../terminal/interact.ts'
import { open, openExisting } from '../session.ts'
import { renderTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { pluralise } from '../terminal/words.ts'

interface MigrateOptions extends DatabaseOptions {
  readonly check?: true
}

interface SqlOptions {
  readonly config?: string
  readonly since?: readonly string[]
}

/** `migrate`, `migrate status`, `migrate sql`. */
export const defineMigrate: Define = (command, { terminal, end }) => {
  onDatabase(withJson(command)).action(async (options: MigrateOptions) =>
    end(await applyMigrations(terminal, options)),
  )
  examples(command, ['migrate', 'migrate status --check', 'migrate sql > posthorn.sql'])

  const status = command
    .command('status')
    .description('List every migration and when it was applied.')
    .option('--check', 'exit with 3 if any is pending')
  // The parent has options of the same names, and may have taken them.
  onDatabase(withJson(status)).action(async (_: MigrateOptions, own: Command) =>
    end(await listMigrations(terminal, own.optsWithGlobals())),
  )
  examples(status, ['migrate status', 'migrate status --check --json'])

  const text = command
    .command('sql')
    .description('Print the whole SQL between begin and commit, for psql.')
  withConfig(text).action(async (_: MigrateOptions, own: Command) =>
    end(await printMigrations(terminal, own.optsWithGlobals())),
  )
  examples(text, ['migrate sql > posthorn.sql'])
}

export const defineSql: Define = (command, { terminal, end }) => {
  command.option(
    '--since <step>',
    'only later steps than 0001 or postgres-topics/0001; may be repeated',
    collect,
  )
  withConfig(command).action(async (options: SqlOptions) => end(await printSql(terminal, options)))
  examples(command, [
    'sql --config outboxes.ts > drizzle/0001_posthorn.sql',
    'sql --config outboxes.ts --since 0001 > drizzle/0007_posthorn.sql',
  ])
}

/** Applies the pending migrations and prints them. */
async function applyMigrations(terminal: Terminal, options: MigrateOptions): Promise<ExitCode> {
  const { configuration, systems } = await readEnvironment(variablesOf(terminal, options))
  const sets = await allMigrations(systems)
  await using database = await open(terminal, configuration)
  const log: Log = { ...silentLog, warn: (_, message) => terminal.say(message) }
  const { pool } = database
  const progress = startProgress(terminal, 'migrating')
  const applied = await migrate(pool, sets, { log }).finally(() => progress[Symbol.dispose]())
  await setUpTables(pool, (await openToLook({ configuration, systems }, pool)).outboxes)
  if (options.json) terminal.printJson({ applied })
  else for (const { set, id } of applied) terminal.print(`applied ${set}/${id}`)
  const what = applied.length === 0 ? 'nothing was pending' : pluralise(applied.length, 'migration')
  terminal.say(applied.length === 0 ? what : `${what} applied`)
  return EXIT.ok
}

/** Lists every step; with `check` the answer is in the exit code too. */
async function listMigrations(terminal: Terminal, options: MigrateOptions): Promise<ExitCode> {
  const { configuration, systems } = await readEnvironment(variablesOf(terminal, options))
  await using database = await openExisting(terminal, configuration)
  const steps = await migrationStatus(database.pool, await allMigrations(systems))
  const pending = steps.filter(({ appliedAt }) => appliedAt === undefined).length
  if (options.json) {
    const migrations = steps.map(({ appliedAt, ...step }) => ({ ...step, appliedAt }))
    terminal.printJson({ pending, migrations })
  } else {
    const rows = steps.map(({ set, id, appliedAt }) => [
      `${set}/${id}`,
      appliedAt ? appliedAt.toISOString() : { text: 'pending', style: 'yellow' as const },
    ])
    const columns = ['MIGRATION', 'APPLIED']
    const { paint } = terminal
    terminal.print(renderTable(columns, rows, { paint, width: undefined }).join('\n'))
    terminal.say(`${pluralise(pending, 'migration')} pending`)
  }
  return options.check && pending > 0 ? EXIT.negative : EXIT.ok
}

/** Prints the SQL of all, between begin and commit; needs no database. */
async function printMigrations(terminal: Terminal, options: MigrateOptions): Promise<ExitCode> {
  const systems = await loadSystems(variablesOf(terminal, options))
  terminal.stdout.write(migrationSql(await allMigrations(systems)))
  return EXIT.ok
}

/** Prints the SQL for a tool that opens the transaction itself; needs no database. */
async function printSql(terminal: Terminal, options: SqlOptions): Promise<ExitCode> {
  const env = variablesOf(terminal, options)
  const systems = await loadSystems(env)
  const since = Object.fromEntries((options.since ?? []).map(parseStep))
  const sets = await allMigrations(systems)
  const unknown = Object.keys(since).find((name) => sets.every((set) => set.name !== name))
  if (unknown !== undefined) {
    const names = sets.map(({ name }) => name).join(', ')
    throw new UsageError(`there is no set of migrations "${unknown}". There are: ${names}`)
  }
  const { outboxes } = await openWithoutDatabase(await readEnvironment(env))
  const text = migrationSql(sets, { since, transaction: 'outer' })
  terminal.stdout.write([text, ...tablesOf(outboxes)].join('\n'))
  return EXIT.ok
}

/** `0001` is the engine's; others are named, as `postgres-topics/0001`. */
function parseStep(text: string): [set: string, step: string] {
  const [set, step] = text.includes('/') ? text.split('/', 2) : ['engine', text]
  return [set ?? '', step ?? '']
}

import { migrate, setUpTables, silentLog, tablesOf, type Log } from '@posthorn/engine'
import { migrationSql, migrationStatus } from '@posthorn/engine/operate'
import { allMigrations, loadSystems } from '@posthorn/server'
import type { MigrateOptions } from './commands/migrate.ts'
import type { SqlOptions } from './commands/sql.ts'
import { openToLook, openWithoutDatabase, readEnvironment, variablesOf } from './environment.ts'
import { EXIT, UsageError, type ExitCode } from './exit.ts'
import { startProgress } from './progress.ts'
import { open, openExisting } from './session.ts'
import { renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { pluralise } from './words.ts'

/** Applies what is pending and says what that was. */
export async function applyMigrations(
  terminal: Terminal,
  options: MigrateOptions,
): Promise<ExitCode> {
  const { configuration, systems } = await readEnvironment(variablesOf(terminal, options))
  const sets = await allMigrations(systems)
  await using database = await open(terminal, configuration)
  const log: Log = { ...silentLog, warn: (_, message) => terminal.say(message) }
  const { pool } = database
  const applied = await showProgress(terminal, () => migrate(pool, sets, { log }))
  await setUpTables(pool, (await openToLook({ configuration, systems }, pool)).outboxes)
  if (options.json) terminal.printJson({ applied })
  else for (const { set, id } of applied) terminal.print(`applied ${set}/${id}`)
  const what = applied.length === 0 ? 'nothing was pending' : pluralise(applied.length, 'migration')
  terminal.say(applied.length === 0 ? what : `${what} applied`)
  return EXIT.ok
}

/** Lists every step; with `check` the answer is in the exit code too. */
export async function listMigrations(
  terminal: Terminal,
  options: MigrateOptions,
): Promise<ExitCode> {
  const { configuration, systems } = await readEnvironment(variablesOf(terminal, options))
  await using database = await openExisting(terminal, configuration)
  const steps = await migrationStatus(database.pool, await allMigrations(systems))
  const pending = steps.filter(({ appliedAt }) => appliedAt === undefined).length
  if (options.json) {
    const migrations = steps.map((step) => ({ ...step, appliedAt: step.appliedAt ?? null }))
    terminal.printJson({ pending, migrations })
  } else {
    const rows = steps.map(({ set, id, appliedAt }) => [
      `${set}/${id}`,
      appliedAt ? appliedAt.toISOString() : { text: 'pending', style: 'yellow' as const },
    ])
    const columns = [{ title: 'MIGRATION' }, { title: 'APPLIED' }]
    const { paint } = terminal
    terminal.print(renderTable(columns, rows, { paint, width: undefined }).join('\n'))
    terminal.say(`${pluralise(pending, 'migration')} pending`)
  }
  return options.check && pending > 0 ? EXIT.negative : EXIT.ok
}

/** Prints the SQL of all, between begin and commit; needs no database. */
export async function printMigrations(
  terminal: Terminal,
  options: MigrateOptions,
): Promise<ExitCode> {
  const systems = await loadSystems(variablesOf(terminal, options))
  terminal.stdout.write(migrationSql(await allMigrations(systems)))
  return EXIT.ok
}

/** Prints the SQL for a tool that opens the transaction itself; needs no database. */
export async function printSql(terminal: Terminal, options: SqlOptions): Promise<ExitCode> {
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

/** `0011` is the engine's; others are named, as `postgres-topics/0001`. */
function parseStep(text: string): [set: string, step: string] {
  const [set, step] = text.includes('/') ? text.split('/', 2) : ['engine', text]
  return [set ?? '', step ?? '']
}

async function showProgress<Result>(
  terminal: Terminal,
  work: () => Promise<Result>,
): Promise<Result> {
  using _ = startProgress(terminal, 'migrating')
  return await work()
}

import { migrate, silentLog, type Log } from '@posthorn/engine'
import { migrationSql, migrationStatus } from '@posthorn/engine/operate'
import { allMigrations, loadSystems } from '@posthorn/server'
import type { MigrateOptions } from './commands/migrate.ts'
import { readEnvironment, variablesOf } from './environment.ts'
import { EXIT, type ExitCode } from './exit.ts'
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
  const applied = await showProgress(terminal, () => migrate(database.pool, sets, { log }))
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

/** Prints the SQL of all; needs no database. */
export async function printMigrations(terminal: Terminal): Promise<ExitCode> {
  const systems = await loadSystems(terminal.env)
  terminal.stdout.write(migrationSql(await allMigrations(systems)))
  return EXIT.ok
}

async function showProgress<Result>(
  terminal: Terminal,
  work: () => Promise<Result>,
): Promise<Result> {
  using _ = startProgress(terminal, 'migrating')
  return await work()
}

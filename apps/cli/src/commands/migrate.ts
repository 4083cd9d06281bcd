import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, withConfig, withJson, type Ended } from './option.ts'

export interface MigrateOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
  readonly check?: true
}

/** `migrate`, `migrate status`, `migrate sql`. */
export function addMigrate(program: Command, terminal: Terminal, ended: Ended): void {
  const migrate = program
    .command('migrate')
    .description('Apply the migrations that are pending, one after the other.')
  onDatabase(withJson(migrate)).action(async (options: MigrateOptions) => {
    const { applyMigrations } = await import('../migrations.ts')
    ended(await applyMigrations(terminal, options))
  })
  examples(migrate, ['migrate', 'migrate status --check', 'migrate sql > posthorn.sql'])

  const status = migrate
    .command('status')
    .description('List every migration and when it was applied.')
    .option('--check', 'exit with 3 if any is pending')
  onDatabase(withJson(status)).action(async (_: MigrateOptions, command: Command) => {
    const { listMigrations } = await import('../migrations.ts')
    // The parent has options of the same names, and may have taken them.
    ended(await listMigrations(terminal, command.optsWithGlobals()))
  })
  examples(status, ['migrate status', 'migrate status --check --json'])

  const text = migrate
    .command('sql')
    .description('Print the whole SQL between begin and commit, to apply it by psql.')
  withConfig(text).action(async (_: MigrateOptions, command: Command) => {
    const { printMigrations } = await import('../migrations.ts')
    ended(await printMigrations(terminal, command.optsWithGlobals()))
  })
  examples(text, ['migrate sql > posthorn.sql'])
}

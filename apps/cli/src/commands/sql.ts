import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { collect, examples, withConfig, type Ended } from './option.ts'

export interface SqlOptions {
  readonly config?: string
  readonly since?: readonly string[]
}

export function addSql(program: Command, terminal: Terminal, ended: Ended): void {
  const sql = program
    .command('sql')
    .description(
      'Print the SQL for the migrations of another tool, which opens the transaction itself: ' +
        'the engine’s tables, and those of outbox().',
    )
    .option(
      '--since <step>',
      'only what came after this step, as 0011 or postgres-topics/0001; may be repeated',
      collect,
    )
  withConfig(sql).action(async (options: SqlOptions) => {
    const { printSql } = await import('../migrations.ts')
    ended(await printSql(terminal, options))
  })
  examples(sql, [
    'sql --config outboxes.ts > drizzle/0001_posthorn.sql',
    'sql --config outboxes.ts --since 0011 > drizzle/0007_posthorn.sql',
  ])
}

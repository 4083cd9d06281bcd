import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, withConfig, type Ended } from './option.ts'

export interface DebeziumOptions {
  readonly outbox: string
  readonly config?: string
  readonly source?: string
  readonly headers?: string
  readonly sql?: true
}

export function addDebezium(program: Command, terminal: Terminal, ended: Ended): void {
  const debezium = program
    .command('debezium')
    .description(
      "Print the configuration of Debezium's connector that sends an outbox's messages as its relay " +
        'does, for Kafka Connect. What to know before goes to standard error.',
    )
    .requiredOption('--outbox <name>', 'which outbox, by its name or its table')
    .option('--source <source>', 'the CloudEvents source, as the Kafka transport has it')
    .option('--headers <names>', 'headers to send one by one, of those that share a column: a,b')
    .option('--sql', 'print instead what the table needs for --headers')
  withConfig(debezium).action(async (options: DebeziumOptions) => {
    const { printConnector } = await import('../debezium.ts')
    ended(await printConnector(terminal, options))
  })
  examples(debezium, [
    'debezium --config outboxes.ts --outbox shop.outbox > connector.json',
    'debezium --config outboxes.ts --outbox shop.outbox --headers region,x-request-id --sql | psql',
  ])
}

import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { collect, examples, onDatabase, parseCount, withJson, type Ended } from './option.ts'

export interface AlertsOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly state: 'open' | 'acknowledged' | 'recovered' | 'all'
  readonly source?: string
  readonly code?: string
  readonly limit: number
  readonly ack?: readonly string[]
  readonly by?: string
  readonly json?: true
}

export function addAlerts(program: Command, terminal: Terminal, ended: Ended): void {
  const alerts = program
    .command('alerts')
    .description('List alerts, newest first, or acknowledge some.')
    .addOption(
      new Option('--state <state>', 'which ones')
        .choices(['open', 'acknowledged', 'recovered', 'all'])
        .default('open'),
    )
    .option('--source <name>', 'only those of this outbox or part of a system')
    .option('--code <code>', 'only those with this code')
    .option('--limit <n>', 'at most this many', parseCount, 50)
    .option('--ack <id>', 'acknowledge this alert; may be repeated', collect)
    .option('--by <name>', 'who does it, for the audit (default: POSTHORN_OPERATOR, else you)')
  onDatabase(withJson(alerts)).action(async (options: AlertsOptions) => {
    const { acknowledgeAlerts, showAlerts } = await import('../alerts.ts')
    const { ack } = options
    ended(await (ack ? acknowledgeAlerts(terminal, ack, options) : showAlerts(terminal, options)))
  })
  examples(alerts, [
    'alerts',
    'alerts --source orders.events --state all',
    'alerts --ack 17 --ack 18',
  ])
}

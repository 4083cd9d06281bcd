import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, parseDuration, withJson, type Ended } from './option.ts'

export interface StatusOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
  readonly once?: true
  readonly watch?: true
  readonly every: string
}

export function addStatus(program: Command, terminal: Terminal, ended: Ended): void {
  const status = program
    .command('status')
    .description(
      'Show every outbox: states, oldest due message, rate, failures, relays, pauses, alerts. ' +
        'On a terminal it redraws until q or Ctrl-C; elsewhere it prints once.',
    )
    .addOption(new Option('--once', 'print once, on a terminal too').conflicts('watch'))
    .option('--watch', 'keep printing without a terminal too; with --json one document per line')
    .option('--every <duration>', 'how often to refresh', parseDuration, '1s')
  onDatabase(withJson(status)).action(async (options: StatusOptions) => {
    const { showStatus } = await import('../status-watch.ts')
    ended(await showStatus(terminal, options))
  })
  examples(status, [
    'status',
    'status --every 5s',
    "status --json | jq '.outboxes[] | select(.paused)'",
  ])
}

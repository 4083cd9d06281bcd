import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import {
  asOperator,
  collect,
  examples,
  onDatabase,
  parseCount,
  parseRate,
  parseTime,
  withJson,
  type Ended,
} from './option.ts'

export interface ReplayCommandOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly id?: readonly string[]
  readonly type?: string
  readonly tenant?: string
  readonly key?: string
  readonly code?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: number
  readonly perSecond?: number
  readonly by?: string
  readonly reason?: string
  readonly dryRun?: true
  readonly yes?: true
  readonly json?: true
}

export function addReplay(program: Command, terminal: Terminal, ended: Ended): void {
  const replay = program
    .command('replay')
    .description(
      'Send dead or quarantined messages again, with their attempts back at zero. Shows how many ' +
        'there are and asks; without options it takes all of them.',
    )
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .option('--id <id>', 'only this message; may stand several times', collect)
    .option('--type <type>', 'only messages of this type')
    .option('--tenant <tenant>', 'only messages of this tenant')
    .option('--key <key>', 'only messages of this key')
    .option('--code <code>', 'only messages whose last failure has this code')
    .option('--since <time>', 'only messages made since then: a time, or how long ago', parseTime)
    .option('--until <time>', 'only messages made before: a time, or how long ago', parseTime)
    .option('--limit <n>', 'at most this many, the oldest first', parseCount)
    .option('--per-second <n>', 'at most this many become due in a second', parseRate)
  onDatabase(withJson(asOperator(replay)))
    .option('--dry-run', 'only count')
    .option('--yes', 'do not ask; needed without a terminal')
    .action(async (outbox: string, options: ReplayCommandOptions) => {
      const { replayOutbox } = await import('../replay.ts')
      ended(await replayOutbox(terminal, outbox, options))
    })
  examples(replay, [
    'replay orders.events --dry-run',
    "replay orders.events --code BAD_ADDRESS --since 2h --reason 'T-481'",
    'replay orders.events --per-second 50 --yes',
  ])
}

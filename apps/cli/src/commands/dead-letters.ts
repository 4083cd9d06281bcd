import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import {
  asOperator,
  collect,
  examples,
  onDatabase,
  parseCount,
  parseTime,
  withJson,
  type Ended,
} from './option.ts'

export interface DeadLettersOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly state: 'dead' | 'retry' | 'parked' | 'all'
  readonly id?: readonly string[]
  readonly topic?: string
  readonly group?: string
  readonly type?: string
  readonly key?: string
  readonly tenant?: string
  readonly code?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
  readonly show?: string
  readonly replay?: true
  readonly drop?: true
  readonly by?: string
  readonly reason?: string
  readonly yes?: true
  readonly json?: true
}

export function addDeadLetters(program: Command, terminal: Terminal, ended: Ended): void {
  const letters = program
    .command('dead-letters')
    .description(
      'List what consumers could not handle, newest first, or replay or drop it. A replay gives it ' +
        'to the consumer again, with its attempts back at zero; a drop is for ever.',
    )
    .addOption(
      new Option('--state <state>', 'which ones to list; only dead ones are replayed or dropped')
        .choices(['dead', 'retry', 'parked', 'all'])
        .default('dead'),
    )
    .option('--id <id>', 'only this one; may stand several times', collect)
    .option('--topic <topic>', 'only those of this topic')
    .option('--group <group>', 'only those of this consumer group')
    .option('--type <type>', 'only messages of this type')
    .option('--key <key>', 'only messages of this key')
    .option('--tenant <tenant>', 'only messages of this tenant')
    .option('--code <code>', 'only messages whose last failure has this code')
    .option('--since <time>', 'only those set aside since then: a time, or how long ago', parseTime)
    .option('--until <time>', 'only those set aside before: a time, or how long ago', parseTime)
    .option('--limit <n>', 'at most this many', parseCount, 50)
    .option('--show <id>', 'one of them, with headers and payload')
    .addOption(new Option('--replay', 'give them to their consumers again').conflicts('drop'))
    .addOption(new Option('--drop', 'delete them for ever'))
  onDatabase(withJson(asOperator(letters)))
    .option('--yes', 'do not ask; needed without a terminal')
    .action(async (options: DeadLettersOptions) => {
      const { operateLetters, showLetter, showLetters } = await import('../dead-letters.ts')
      const { show, replay, drop } = options
      if (show !== undefined) return ended(await showLetter(terminal, show, options))
      if (!replay && !drop) return ended(await showLetters(terminal, options))
      ended(await operateLetters(terminal, replay ? 'replay' : 'drop', options))
    })
  examples(letters, [
    'dead-letters --group invitation-mails',
    'dead-letters --show 17',
    "dead-letters --group invitation-mails --code EENVELOPE --replay --reason 'T-481'",
    'dead-letters --id 17 --drop --yes',
  ])
}

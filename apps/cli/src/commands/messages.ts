import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { asOperator, examples, onDatabase, parseCount, withJson, type Ended } from './option.ts'

export interface MessagesOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly state?: string
  readonly dead?: true
  readonly search?: string
  readonly tenant?: string
  readonly key?: string
  readonly type?: string
  readonly limit: number
  readonly cursor?: string
  readonly json?: true
}

export interface MessageOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly reveal?: true
  readonly by?: string
  readonly reason?: string
  readonly json?: true
}

/** `messages` and `message`. */
export function addMessages(program: Command, terminal: Terminal, ended: Ended): void {
  const messages = program
    .command('messages')
    .description('List messages of an outbox, newest first.')
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .option('--state <state>', "only those in this state, in the table's own word")
    .addOption(new Option('--dead', 'only dead letters').conflicts('state'))
    .option('--search <text>', 'only those with this text anywhere in their row; reads row by row')
    .option('--tenant <tenant>', 'only those of this tenant')
    .option('--key <key>', 'only those of this key')
    .option('--type <type>', 'only those of this type')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--cursor <cursor>', 'continue where a list ended')
  onDatabase(withJson(messages)).action(async (outbox: string, options: MessagesOptions) => {
    const { showMessages } = await import('../messages.ts')
    ended(await showMessages(terminal, outbox, options))
  })
  examples(messages, [
    'messages orders.events --dead',
    'messages orders.events --search T-481 --limit 100',
    "messages orders.events --json | jq -r '.items[].id'",
  ])

  const message = program
    .command('message')
    .description('Show one message: payload, headers, attempts, every transition.')
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
    .argument('<id>', 'the id of the message')
    .option('--reveal', 'open an encrypted payload; needs --reason, and is kept in the audit')
  onDatabase(withJson(asOperator(message))).action(
    async (outbox: string, id: string, options: MessageOptions) => {
      const { showMessage } = await import('../message.ts')
      ended(await showMessage(terminal, { outbox, id }, options))
    },
  )
  examples(message, ['message orders.events 01980000-0000-7000-8000-000000000001'])
}

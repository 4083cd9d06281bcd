import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { asOperator, examples, onDatabase, withJson, type Ended } from './option.ts'

export interface PauseOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly by?: string
  readonly reason?: string
  readonly json?: true
}

/** `pause` and `resume`. */
export function addPause(program: Command, terminal: Terminal, ended: Ended): void {
  const pause = program
    .command('pause')
    .description(
      'Stop relays from claiming from an outbox, in every process; messages in flight finish.',
    )
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
  onDatabase(withJson(asOperator(pause))).action(async (outbox: string, options: PauseOptions) => {
    const { pauseOutbox } = await import('../pause.ts')
    ended(await pauseOutbox(terminal, outbox, options))
  })
  examples(pause, ["pause payments.webhook-deliveries --reason 'gateway maintenance'"])

  const resume = program
    .command('resume')
    .description('Let relays claim from a paused outbox again.')
    .argument('<outbox>', 'its name, as `posthorn status` shows it')
  onDatabase(withJson(asOperator(resume))).action(async (outbox: string, options: PauseOptions) => {
    const { resumeOutbox } = await import('../pause.ts')
    ended(await resumeOutbox(terminal, outbox, options))
  })
  examples(resume, ['resume payments.webhook-deliveries'])
}

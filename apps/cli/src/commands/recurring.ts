import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { asOperator, examples, onDatabase, withJson, type Ended } from './option.ts'

export interface RecurringOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly outbox?: string
  readonly json?: true
}

export interface SteerOptions extends RecurringOptions {
  readonly by?: string
  readonly reason?: string
}

export interface ResumeOptions extends SteerOptions {
  readonly missed?: 'skip'
}

/** `recurring list`, `recurring pause`, `recurring resume` and `recurring run`. */
export function addRecurring(program: Command, terminal: Terminal, ended: Ended): void {
  const recurring = program
    .command('recurring')
    .description('List the messages that outboxes give themselves, or steer one of them.')

  const list = recurring
    .command('list', { isDefault: true })
    .description('Each with its schedule, its last and its next time.')
  ofOutbox(onDatabase(withJson(list))).action(async (options: RecurringOptions) => {
    const { showRecurring } = await import('../recurring.ts')
    ended(await showRecurring(terminal, options))
  })

  const pause = steering(recurring, 'pause', 'Stop one in every process until it is resumed.')
  pause.action(async (name: string, options: SteerOptions) => {
    const { pauseOne } = await import('../recurring.ts')
    ended(await pauseOne(terminal, name, options))
  })

  const resume = steering(recurring, 'resume', 'Let one go on.').addOption(
    new Option(
      '--missed <what>',
      'leave out the times of the pause (default: as its definition has it)',
    ).choices(['skip']),
  )
  resume.action(async (name: string, options: ResumeOptions) => {
    const { resumeOne } = await import('../recurring.ts')
    ended(await resumeOne(terminal, name, options))
  })

  const run = steering(recurring, 'run', 'Enqueue one now, paused or not; its schedule stays.')
  run.action(async (name: string, options: SteerOptions) => {
    const { runOne } = await import('../recurring.ts')
    ended(await runOne(terminal, name, options))
  })

  examples(recurring, [
    'recurring',
    "recurring pause report --reason 'month end'",
    'recurring resume report --missed skip',
    'recurring run report --outbox shop.chores',
  ])
}

function steering(recurring: Command, verb: string, description: string): Command {
  const command = recurring
    .command(verb)
    .description(description)
    .argument('<name>', 'its name, as `posthorn recurring` shows it')
  return ofOutbox(onDatabase(withJson(asOperator(command))))
}

function ofOutbox(command: Command): Command {
  return command.option('--outbox <name>', 'of this outbox; needed where two have the same name')
}

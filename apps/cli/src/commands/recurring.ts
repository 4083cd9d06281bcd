import { PosthornError, transaction } from '@posthorn/engine'
import {
  listRecurring,
  pauseRecurring,
  readClock,
  resumeRecurring,
  runRecurring,
  type RecurringStatus,
} from '@posthorn/operate'
import { type SteeredRecurring } from '@posthorn/engine/internal'
import { Option, type Command } from 'commander'
import {
  asOperator,
  examples,
  given,
  onDatabase,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { EXIT, Failure, UsageError, type ExitCode } from '../errors.ts'
import { operatorOf, outboxNamed, withSession, type Session } from '../session.ts'
import { renderTable, tableStyle, type Cell } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { duration, moment, oneLine, suggest } from '../terminal/words.ts'

interface RecurringOptions extends DatabaseOptions {
  readonly outbox?: string
}

interface SteerOptions extends RecurringOptions {
  readonly by?: string
  readonly reason?: string
}

interface ResumeOptions extends SteerOptions {
  readonly missed?: 'skip'
}

/** `recurring list`, `recurring pause`, `recurring resume` and `recurring run`. */
export const defineRecurring: Define = (command, { terminal, end }) => {
  const list = command
    .command('list', { isDefault: true })
    .description('List recurring messages with schedule, last and next time.')
  ofOutbox(onDatabase(withJson(list))).action(async (options: RecurringOptions) =>
    end(await showRecurring(terminal, options)),
  )
  steering(command, 'pause', 'Pause one in every process.').action(
    async (name: string, options: SteerOptions) =>
      end(await steerOne(terminal, { name, to: 'paused' }, options)),
  )
  steering(command, 'resume', 'Resume a paused one.')
    .addOption(
      new Option(
        '--missed <what>',
        'skip: leave out the times missed during the pause (default: the definition decides)',
      ).choices(['skip']),
    )
    .action(async (name: string, options: ResumeOptions) =>
      end(await steerOne(terminal, { name, to: 'running' }, options)),
    )
  steering(command, 'run', 'Enqueue one now, paused or not. Its schedule does not change.').action(
    async (name: string, options: SteerOptions) => end(await runOne(terminal, name, options)),
  )
  examples(command, [
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
  return command.option('--outbox <name>', 'only this outbox; required if two have the same name')
}

/** Lists the recurring messages of the database, whichever process defines them. */
async function showRecurring(terminal: Terminal, options: RecurringOptions): Promise<ExitCode> {
  return withSession(terminal, options, async ({ db }) => {
    const found = await listRecurring(db, given({ outbox: options.outbox }))
    const { now } = await readClock(db)
    if (options.json) terminal.printJson({ items: found })
    else if (found.length === 0) terminal.say('no relay has registered a recurring message')
    else terminal.print(lines(found, terminal, now).join('\n'))
    return EXIT.ok
  })
}

/** Pauses or resumes one; says who paused it before. */
async function steerOne(
  terminal: Terminal,
  { name, to }: { readonly name: string; readonly to: 'paused' | 'running' },
  options: ResumeOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const which = await findOne(session, name, options)
    const how = { ...operatorOf(terminal, options), ...given({ missed: options.missed }) }
    const steer = to === 'paused' ? pauseRecurring : resumeRecurring
    const steered = await transaction(session.pool, (tx) => steer(tx, which, how))
    if (!steered) throw new Failure(`${describe(which)} is gone: a relay without it has started`)
    const { changed, status } = steered
    if (options.json) terminal.printJson({ changed, recurring: status })
    else terminal.print(`${describe(status)} ${describeChange(to, steered)}`)
    return EXIT.ok
  })
}

function describeChange(to: 'paused' | 'running', { changed, status }: SteeredRecurring): string {
  if (to === 'paused') return changed ? 'is paused' : `is paused already, ${describePause(status)}`
  return changed
    ? `resumed; next at ${status.nextAt?.toISOString() ?? 'no time'}`
    : 'was not paused'
}

/** Enqueues one now, by the definition of this environment. */
async function runOne(terminal: Terminal, name: string, options: SteerOptions): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const which = await findOne(session, name, options)
    const outbox = outboxNamed(session, which.outbox)
    const how = { name, ...operatorOf(terminal, options) }
    const run = await transaction(session.pool, (tx) => runRecurring(tx, outbox, how)).catch(
      (error: unknown) => {
        if (!(error instanceof PosthornError) || error.code !== 'RECURRING_FAILED') throw error
        throw new Failure(oneLine(`${error.message}; nothing was enqueued`))
      },
    )
    if (run.kind !== 'enqueued') {
      throw new UsageError(`${describe(which)} is not in the definition of this environment`)
    }
    const { message, created } = run
    if (options.json) terminal.printJson({ outbox: outbox.name, name, message, created })
    else terminal.print(`${describe(which)} enqueued ${oneLine(message)}`)
    return EXIT.ok
  })
}

interface Which {
  readonly outbox: string
  readonly name: string
}

/** Finds one by its name, or says which there are, and which was probably meant. */
async function findOne(
  { db }: Pick<Session, 'db'>,
  name: string,
  { outbox }: RecurringOptions,
): Promise<Which> {
  const all = await listRecurring(db, given({ outbox }))
  const [found, ...others] = all.filter((each) => each.name === name)
  if (found && others.length === 0) return { outbox: found.outbox, name }
  if (found) {
    const boxes = [found, ...others].map((each) => each.outbox).join(', ')
    throw new UsageError(`several outboxes have "${name}"; say which with --outbox: ${boxes}`)
  }
  const names = all.map((each) => each.name)
  throw new UsageError(
    `no relay has registered a recurring message "${name}".${suggest(name, names)} There are: ${names.join(', ') || 'none'}`,
  )
}

function describe({ outbox, name }: Which): string {
  return oneLine(`${name} of ${outbox}`)
}

function describePause({ paused }: RecurringStatus): string {
  if (!paused) return ''
  const since = duration((Date.now() - paused.at.getTime()) / 1_000)
  return oneLine(`by ${paused.by} ${since} ago${paused.reason ? `, ${paused.reason}` : ''}`)
}

const COLUMNS = ['NAME', 'OUTBOX', 'WHEN', 'RULE', 'MISSED', 'LAST', 'NEXT', 'STATE']

function lines(found: readonly RecurringStatus[], terminal: Terminal, now: Date): string[] {
  const rows = found.map((each) => [
    oneLine(each.name),
    oneLine(each.outbox),
    oneLine(each.inWords),
    oneLine(each.rule),
    each.missed,
    each.lastAt && moment(each.lastAt, now),
    each.nextAt && !each.paused ? moment(each.nextAt, now) : undefined,
    stateOf(each),
  ])
  return renderTable(COLUMNS, rows, tableStyle(terminal))
}

function stateOf(each: RecurringStatus): Cell {
  if (each.paused) return { text: `paused ${describePause(each)}`, style: 'yellow' }
  if (each.error !== undefined) return { text: `fails: ${oneLine(each.error)}`, style: 'red' }
  if (each.overdue) return { text: 'overdue: no relay that has it runs', style: 'red' }
  return 'ok'
}

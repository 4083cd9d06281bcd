import { PosthornError, transaction } from '@posthorn/engine'
import {
  listRecurring,
  pauseRecurring,
  readClock,
  resumeRecurring,
  runRecurring,
  type RecurringStatus,
  type SteeredRecurring,
} from '@posthorn/engine/operate'
import type { RecurringOptions, ResumeOptions, SteerOptions } from './commands/recurring.ts'
import { EXIT, Failure, UsageError, type ExitCode } from './exit.ts'
import { nearest } from './nearest.ts'
import { operatorName } from './operator.ts'
import { outboxNamed, withSession, type Session } from './session.ts'
import { renderTable, type Cell } from './table.ts'
import type { Terminal } from './terminal.ts'
import { duration, moment, oneLine } from './words.ts'

/** Lists the recurring messages of the database, whichever process defines them. */
export async function showRecurring(
  terminal: Terminal,
  options: RecurringOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async ({ db }) => {
    const found = await listRecurring(db, options.outbox ? { outbox: options.outbox } : {})
    const { now } = await readClock(db)
    if (options.json) terminal.printJson({ items: found.map(withNulls) })
    else if (found.length === 0) terminal.say('no relay has noted a recurring message')
    else terminal.print(lines(found, { terminal, now }).join('\n'))
    return EXIT.ok
  })
}

/** Stops one; says who stopped it if it was paused before. */
export async function pauseOne(
  terminal: Terminal,
  name: string,
  options: SteerOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const which = await findOne(session, name, options)
    const operator = operatorOf(terminal, options)
    const steered = await transaction(session.pool, (tx) => pauseRecurring(tx, which, operator))
    return report(terminal, options, {
      steered: stillThere(steered, which),
      says: ({ changed, status }) =>
        changed ? 'is paused' : `is paused already, ${describePause(status)}`,
    })
  })
}

/** Lets one go on. */
export async function resumeOne(
  terminal: Terminal,
  name: string,
  options: ResumeOptions,
): Promise<ExitCode> {
  return withSession(terminal, options, async (session) => {
    const { missed } = options
    const which = await findOne(session, name, options)
    const how = { ...operatorOf(terminal, options), ...(missed && { missed }) }
    const steered = await transaction(session.pool, (tx) => resumeRecurring(tx, which, how))
    return report(terminal, options, {
      steered: stillThere(steered, which),
      says: ({ changed, status }) =>
        changed
          ? `resumed; next at ${status.nextAt?.toISOString() ?? 'no time'}`
          : 'was not paused',
    })
  })
}

/** Enqueues one now, by the definition of this environment. */
export async function runOne(
  terminal: Terminal,
  name: string,
  options: SteerOptions,
): Promise<ExitCode> {
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
  const all = await listRecurring(db, outbox ? { outbox } : {})
  const [found, ...others] = all.filter((each) => each.name === name)
  if (found && others.length === 0) return { outbox: found.outbox, name }
  if (found) {
    const boxes = [found, ...others].map((each) => each.outbox).join(', ')
    throw new UsageError(`several outboxes have "${name}"; say which with --outbox: ${boxes}`)
  }
  const names = all.map((each) => each.name)
  const meant = nearest(name, names)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(
    `no relay has noted a recurring message "${name}".${hint} There are: ${names.join(', ') || 'none'}`,
  )
}

function stillThere(steered: SteeredRecurring | undefined, which: Which): SteeredRecurring {
  if (steered) return steered
  throw new Failure(`${describe(which)} is gone: a relay without it has started`)
}

function report(
  terminal: Terminal,
  { json }: RecurringOptions,
  { steered, says }: { steered: SteeredRecurring; says: (steered: SteeredRecurring) => string },
): ExitCode {
  const { changed, status } = steered
  if (json) terminal.printJson({ changed, recurring: withNulls(status) })
  else terminal.print(`${describe(status)} ${says(steered)}`)
  return EXIT.ok
}

function describe({ outbox, name }: Which): string {
  return oneLine(`${name} of ${outbox}`)
}

function describePause({ paused }: RecurringStatus): string {
  if (!paused) return ''
  const since = duration((Date.now() - paused.at.getTime()) / 1_000)
  return oneLine(`by ${paused.by} ${since} ago${paused.reason ? `, ${paused.reason}` : ''}`)
}

function operatorOf(terminal: Terminal, { by, reason }: SteerOptions) {
  return { by: operatorName(by, terminal.env), ...(reason !== undefined && { reason }) }
}

const COLUMNS = [
  { title: 'NAME' },
  { title: 'OUTBOX' },
  { title: 'WHEN' },
  { title: 'RULE' },
  { title: 'MISSED' },
  { title: 'LAST' },
  { title: 'NEXT' },
  { title: 'STATE' },
] as const

function lines(
  found: readonly RecurringStatus[],
  { terminal: { paint, stdout }, now }: { terminal: Terminal; now: Date },
): string[] {
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
  return renderTable(COLUMNS, rows, { paint, width: stdout.isTTY ? stdout.columns : undefined })
}

function stateOf(each: RecurringStatus): Cell {
  if (each.paused) return { text: `paused ${describePause(each)}`, style: 'yellow' }
  if (each.error !== undefined) return { text: `fails: ${oneLine(each.error)}`, style: 'red' }
  if (each.overdue) return { text: 'overdue: no relay that has it runs', style: 'red' }
  return 'ok'
}

function withNulls(status: RecurringStatus): Record<string, unknown> {
  return Object.fromEntries(Object.entries(status).map(([name, value]) => [name, value ?? null]))
}

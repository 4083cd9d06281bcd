import { toMs, type Duration } from '@posthorn/engine'
import { sleep } from '@posthorn/engine/internal'
import { listPaused, openAlerts, outboxStats, type OutboxStats } from '@posthorn/operate'
import { Option } from 'commander'
import {
  examples,
  onDatabase,
  parseDuration,
  withJson,
  type DatabaseOptions,
  type Define,
} from '../options.ts'
import { EXIT, explain, type ExitCode } from '../errors.ts'
import { openScreen } from '../terminal/interact.ts'
import { withSession, type Session } from '../session.ts'
import { cut, renderTable, tableStyle, type Cell, type TableStyle } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { pluralise, duration, oneLine, shortNumber } from '../terminal/words.ts'

interface StatusOptions extends DatabaseOptions {
  readonly once?: true
  readonly watch?: true
  readonly every: string
}

export const defineStatus: Define = (command, { terminal, end }) => {
  command
    .addOption(new Option('--once', 'print once, also on a terminal').conflicts('watch'))
    .option('--watch', 'refresh without a terminal too; with --json one document a line')
    .option('--every <duration>', 'how often to refresh', parseDuration, '1s')
  onDatabase(withJson(command)).action(async (options: StatusOptions) =>
    end(await showStatus(terminal, options)),
  )
  examples(command, [
    'status',
    'status --every 5s',
    "status --json | jq '.outboxes[] | select(.paused)'",
  ])
}

/** One outbox at one moment. */
export interface OutboxStatus extends OutboxStats {
  /** The table's word for messages that are not tried again; null if it has none. */
  readonly deadState: string | null
  readonly pausedBy: string | null
  readonly pausedAt: Date | null
  readonly pauseReason: string | null
  readonly alertsOpen: number
}

/** All that `posthorn status` shows, as `--json` prints it. */
export interface Status {
  readonly at: Date
  readonly database: string
  readonly outboxes: readonly OutboxStatus[]
  /** Open alerts by their source; a source need not be an outbox. */
  readonly alertsOpen: Readonly<Record<string, number>>
}

export async function readStatus({ db, outboxes, where }: Session): Promise<Status> {
  const [pauses, alertsOpen, ...stats] = await Promise.all([
    listPaused(db),
    openAlerts(db),
    ...[...outboxes.values()].map((outbox) => outboxStats(db, outbox)),
  ])
  return {
    at: new Date(),
    database: where,
    alertsOpen,
    outboxes: stats.map((each) => {
      const pause = pauses.find(({ outbox }) => outbox === each.name)
      const dead = outboxes.get(each.name)?.states.dead
      return {
        ...each,
        deadState: dead === undefined ? null : String(dead),
        pausedBy: pause?.pausedBy ?? null,
        pausedAt: pause?.pausedAt ?? null,
        pauseReason: pause?.reason ?? null,
        alertsOpen: alertsOpen[each.name] ?? 0,
      }
    }),
  }
}

/** Prints the status once, or again and again until the operator leaves. */
async function showStatus(terminal: Terminal, options: StatusOptions): Promise<ExitCode> {
  const isScreen = terminal.stdout.isTTY && !options.json
  return withSession(terminal, options, async (session) => {
    if (options.once || (!isScreen && !options.watch)) {
      const status = await readStatus(session)
      if (options.json) terminal.printJson(status)
      else terminal.print(statusFrame(status, tableStyle(terminal)).join('\n'))
      return EXIT.ok
    }
    return isScreen ? onScreen(terminal, session, options) : onPaper(terminal, session, options)
  })
}

/** Redraws; at the end the last frame stays on the terminal. */
async function onScreen(
  terminal: Terminal,
  session: Session,
  { every }: StatusOptions,
): Promise<ExitCode> {
  let last: Look | undefined
  const draw = (look: Look) => statusFrame(look.status, { ...tableStyle(terminal), ...look })
  let reason: unknown
  {
    using screen = openScreen(terminal)
    const signal = AbortSignal.any([screen.left, terminal.interrupted])
    for await (const look of looks(session, every, signal)) {
      last = look
      screen.draw(draw(look))
    }
    reason = screen.left.reason
  }
  if (last) terminal.print(draw(last).join('\n'))
  return reason === 'quit' ? EXIT.ok : EXIT.interrupted
}

/** One frame below the other, or one document a line. */
async function onPaper(
  terminal: Terminal,
  session: Session,
  { every, json }: StatusOptions,
): Promise<ExitCode> {
  for await (const { status, away } of looks(session, every, terminal.interrupted)) {
    const options = { ...tableStyle(terminal), ...(away && { away }) }
    if (!json) terminal.print(`${statusFrame(status, options).join('\n')}\n`)
    else if (away) terminal.say(`database unavailable: ${away.reason}`)
    else terminal.print(JSON.stringify(status))
  }
  return EXIT.interrupted
}

interface Look {
  readonly status: Status
  readonly away?: { readonly since: Date; readonly reason: string }
}

/**
 * Reads again and again until the signal aborts. A database that goes away does not end it; one that
 * could not be read from the beginning does.
 */
async function* looks(
  session: Session,
  every: string,
  signal: AbortSignal,
): AsyncGenerator<Look, void> {
  let status: Status | undefined
  let since: Date | undefined
  while (!signal.aborted) {
    try {
      const next = await untilAborted(readStatus(session), signal)
      if (!next) return
      status = next
      since = undefined
      yield { status }
    } catch (error) {
      if (!status) throw error
      since ??= new Date()
      yield { status, away: { since, reason: explain(error) } }
    }
    await sleep(toMs(every as Duration), signal)
  }
}

/** What the work comes to; undefined as soon as the signal aborts; the work's own result is dropped then. */
async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

interface FrameOptions extends TableStyle {
  /** Why the database did not answer; what is shown is then old. */
  readonly away?: { readonly since: Date; readonly reason: string }
}

/** A message due for longer than this is worth a colour. */
const LATE_SECONDS = 60

const COLUMNS = ['OUTBOX', '>OLDEST DUE', '>RATE/S', '>FAILED', '>RELAYS']

/** A status as lines: one of figures for each outbox, and below it its states in their own words. */
export function statusFrame(status: Status, options: FrameOptions): string[] {
  const { paint, width, away } = options
  const lines: string[] = []
  const line = (text: string) => lines.push(cut(text, width ?? Infinity))
  if (away) {
    const text = `database unavailable since ${clock(away.since)}, trying again: ${oneLine(away.reason)}`
    lines.push(paint('red', cut(text, width ?? Infinity)), '')
  }
  line(`${clock(status.at)}  ${status.database}`)
  lines.push('')
  const [head = '', ...rows] = renderTable(COLUMNS, status.outboxes.map(figures), options)
  lines.push(head)
  for (const [i, outbox] of status.outboxes.entries()) {
    lines.push(rows[i] ?? '', ...details(outbox, options))
  }
  if (status.outboxes.length === 0) line('no outboxes')
  const elsewhere = otherAlerts(status)
  if (elsewhere) lines.push('', paint('yellow', cut(elsewhere, width ?? Infinity)))
  return lines
}

function figures(outbox: OutboxStatus): Cell[] {
  const { name, oldestDueSeconds: oldest, perSecond, failureRate, relays, paused } = outbox
  const isLate = oldest > LATE_SECONDS && !paused
  const isAlone = relays === 0 && oldest > 0
  return [
    { text: name, style: 'bold' },
    oldest > 0 ? { text: duration(oldest), style: isLate ? 'red' : 'none' } : undefined,
    perSecond >= 10 ? shortNumber(perSecond) : perSecond.toFixed(1),
    { text: percent(failureRate), style: failureRate >= 0.5 ? 'red' : 'none' },
    { text: String(relays), style: isAlone ? 'red' : 'none' },
  ]
}

/** A share from 0 to 1; a little is not nothing. */
function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%'
  return `${Math.floor(share * 100)}%`
}

function details(outbox: OutboxStatus, { paint, width = Infinity }: FrameOptions): string[] {
  const { paused, pausedBy, pausedAt, pauseReason, alertsOpen } = outbox
  const lines = stateLines(outbox, { paint, width })
  if (paused) {
    const since = pausedAt === null ? '' : ` since ${clock(pausedAt)}`
    const why = pauseReason === null ? '' : `: ${pauseReason}`
    const text = oneLine(`paused by ${pausedBy ?? 'unknown'}${since}${why}`)
    lines.push(`  ${paint('yellow', cut(text, width - 2))}`)
  }
  const waits = describeWaiting(outbox)
  if (waits !== '') lines.push(`  ${paint('yellow', cut(waits, width - 2))}`)
  if (alertsOpen > 0) lines.push(`  ${paint('red', pluralise(alertsOpen, 'open alert'))}`)
  return lines
}

/** The states with their counts, on as many lines as it takes. */
function stateLines(
  { counts, states, deadState, approximate }: OutboxStatus,
  { paint, width = Infinity }: FrameOptions,
): string[] {
  const lines: string[] = []
  let line = ''
  let length = 0
  for (const state of states) {
    const count = counts[state] ?? 0
    const text = `${state} ${approximate && count >= 100_000 ? '~' : ''}${shortNumber(count)}`
    if (length > 0 && length + 2 + text.length > width) {
      lines.push(line)
      line = ''
      length = 0
    }
    const style = state === deadState && count > 0 ? 'red' : count === 0 ? 'dim' : 'none'
    line += `  ${paint(style, text)}`
    length += 2 + text.length
  }
  return line === '' ? lines : [...lines, line]
}

function describeWaiting({ heldKeys, blockedKeys, quarantined }: OutboxStatus): string {
  const parts = [
    heldKeys > 0 ? `${pluralise(heldKeys, 'key')} held` : '',
    blockedKeys > 0 ? `${pluralise(blockedKeys, 'key')} blocked` : '',
    quarantined > 0 ? `${pluralise(quarantined, 'message')} quarantined` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** Alerts of parts that are no outboxes. */
function otherAlerts({ alertsOpen, outboxes }: Status): string | undefined {
  const names = new Set(outboxes.map(({ name }) => name))
  const others = Object.entries(alertsOpen).filter(([source]) => !names.has(source))
  if (others.length === 0) return undefined
  return `open alerts: ${others.map(([source, count]) => `${source} ${count}`).join(', ')}`
}

/** The time of day, as the clock on the wall has it. */
function clock(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
}

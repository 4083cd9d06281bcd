import type { OutboxStatus, Status } from './status.ts'
import { cut, renderTable, type Cell } from './table.ts'
import type { Terminal } from './terminal.ts'
import { pluralise, duration, oneLine, shortNumber } from './words.ts'

export interface FrameOptions {
  readonly paint: Terminal['paint']
  /** Columns of the screen; undefined without a terminal. */
  readonly width: number | undefined
  /** Why the database did not answer; what is shown is then old. */
  readonly away?: { readonly since: Date; readonly reason: string }
}

/** A message due for longer than this is worth a colour. */
const LATE_SECONDS = 60

const COLUMNS = [
  { title: 'OUTBOX' },
  { title: 'OLDEST DUE', align: 'right' },
  { title: 'RATE/S', align: 'right' },
  { title: 'FAILED', align: 'right' },
  { title: 'RELAYS', align: 'right' },
] as const

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

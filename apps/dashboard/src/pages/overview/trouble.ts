import type { paths } from '../../api/schema.d.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/number.ts'

export type Overview =
  paths['/api/v1/overview']['get']['responses']['200']['content']['application/json']
export type OutboxItem = Overview['outboxes'][number]

/** Something that a person should look at, and where it is mended. */
export interface Trouble {
  readonly id: string
  readonly tone: 'bad' | 'warning'
  readonly what: string
  readonly why: string
  readonly to: string
}

/** A message that is due longer than this is late, in every outbox. */
const LATE_SECONDS = 60

/** Below this, failures are what retries are for. */
const MANY_FAILURES = 0.2

/** Messages that are dead now and wait for a person; a replay takes them out. */
export function deadOf({ roles, counts }: Pick<OutboxItem, 'roles' | 'counts'>): number {
  return roles.dead === null ? 0 : (counts[roles.dead] ?? 0)
}

/** Which part of all attempts failed: what delivers nothing counts with all that it tries. */
export function failingOf(
  outboxes: readonly Pick<OutboxItem, 'failureRate' | 'attemptsPerSecond'>[],
): number {
  const attempts = outboxes.reduce((sum, each) => sum + each.attemptsPerSecond, 0)
  if (attempts === 0) return 0
  const failed = outboxes.reduce((sum, each) => sum + each.failureRate * each.attemptsPerSecond, 0)
  return failed / attempts
}

/** What is wrong now, the worst first. */
export function troublesOf({ alerts, outboxes }: Overview): Trouble[] {
  const found = outboxes.flatMap(troublesOfOutbox)
  if (alerts.open > 0) found.push(openAlerts(alerts.open))
  return found.toSorted((one, other) => weight(one) - weight(other))
}

function weight({ tone }: Trouble): number {
  return tone === 'bad' ? 0 : 1
}

function openAlerts(open: number): Trouble {
  return {
    id: 'alerts',
    tone: 'bad',
    what: `${formatCount(open)} open ${open === 1 ? 'alert' : 'alerts'}`,
    why: 'Not acknowledged.',
    to: '/alerts',
  }
}

function troublesOfOutbox(outbox: OutboxItem): Trouble[] {
  const { name } = outbox
  const at = `/outboxes/${encodeURIComponent(name)}`
  const found: Trouble[] = []
  const add = (kind: string, trouble: Omit<Trouble, 'id'>) =>
    found.push({ ...trouble, id: `${name} ${kind}` })
  if (outbox.relays === 0) {
    add('relays', {
      tone: outbox.due > 0 ? 'bad' : 'warning',
      what: `${name}: no relay is running`,
      why: `${formatCount(outbox.due)} messages are due and no relay sends them.`,
      to: at,
    })
  }
  if (outbox.paused) {
    const by = outbox.pausedBy === null ? '' : ` by ${outbox.pausedBy}`
    const reason = outbox.pauseReason === null ? '' : `: ${outbox.pauseReason}`
    add('paused', {
      tone: 'warning',
      what: `${name} is paused${by}`,
      why: `${formatCount(outbox.due)} messages wait${reason}.`,
      to: at,
    })
  }
  for (const { destination } of outbox.breakers) {
    add(`breaker ${destination}`, {
      tone: 'bad',
      what: `${name}: ${destination} is paused by its circuit breaker`,
      why: 'Most attempts of the last minute failed; one attempt is let through every 30 seconds.',
      to: at,
    })
  }
  if (outbox.oldestDueSeconds > LATE_SECONDS && !outbox.paused && outbox.relays > 0) {
    add('late', {
      tone: 'warning',
      what: `${name} is ${formatDuration(outbox.oldestDueSeconds * 1_000)} behind`,
      why: `${formatCount(outbox.due)} messages are due${describeDrain(outbox)}.`,
      to: at,
    })
  }
  if (outbox.failureRate > MANY_FAILURES) {
    add('failures', {
      tone: 'warning',
      what: `${name}: ${formatShare(outbox.failureRate)} of attempts fail`,
      why: 'They are retried by the outbox’s policy; see the errors of the attempts.',
      to: at,
    })
  }
  const dead = deadOf(outbox)
  if (dead > 0) {
    add('dead', {
      tone: 'warning',
      what: `${name}: ${formatCount(dead)} given up`,
      why: 'Fix the cause, then replay them.',
      to: `/dead-letters?outbox=${encodeURIComponent(name)}`,
    })
  }
  if (outbox.quarantined > 0) {
    add('quarantined', {
      tone: 'bad',
      what: `${name}: ${formatCount(outbox.quarantined)} quarantined`,
      why: 'A message that cannot be read, or that crashed its relay repeatedly.',
      to: at,
    })
  }
  if (outbox.blockedKeys > 0) {
    add('blocked', {
      tone: 'bad',
      what: `${name}: ${formatCount(outbox.blockedKeys)} blocked ${outbox.blockedKeys === 1 ? 'key' : 'keys'}`,
      why: 'All messages of such a key wait behind one dead message.',
      to: at,
    })
  }
  return found
}

function describeDrain({ drainSeconds }: OutboxItem): string {
  if (drainSeconds === null) return ' and none is being sent'
  return `; drained in ${formatDuration(drainSeconds * 1_000)} at this rate`
}

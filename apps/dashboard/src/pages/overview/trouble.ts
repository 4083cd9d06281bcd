import { countOf, formatCount, formatDuration, formatShare } from '../../format/number.ts'
import { type Answer, useRead } from '../../api/client.tsx'

export type Overview = Answer<'/api/v1/overview'>
export type OutboxItem = Overview['outboxes'][number]

/** All outboxes as they are now. It polls as well: behind a pooler no event arrives. */
export function useOverview() {
  return useRead('/api/v1/overview', ['overview', 'now'], { refetchInterval: 10_000 })
}

/** Something that a person should look at, and where it is mended. */
export interface Trouble {
  readonly id: string
  readonly tone: 'bad' | 'warning'
  readonly what: string
  readonly why: string
  /** Since when it is so, by the real clock; null where that is not known. */
  readonly since: string | null
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

export type Cause = Overview['alerts']['causes'][number]

/** What is wrong now, one entry for each cause, the worst first. */
export function troublesOf({ alerts, outboxes }: Overview): Trouble[] {
  const causes = Map.groupBy(alerts.causes, ({ source }) => source)
  const found = outboxes.flatMap((outbox) => {
    const own = causes.get(outbox.name) ?? []
    causes.delete(outbox.name)
    return troublesOfOutbox(outbox, own)
  })
  found.push(...[...causes.values()].flat().map(openAlerts))
  return found.toSorted((one, other) => Number(other.tone === 'bad') - Number(one.tone === 'bad'))
}

function openAlerts({ source, code, open, detail, since }: Cause): Trouble {
  return {
    id: `${source} ${code}`,
    tone: 'bad',
    what: `${source}: ${countOf(open, 'open alert')}, ${code}`,
    why: detail,
    since,
    to: `/alerts?source=${encodeURIComponent(source)}&code=${encodeURIComponent(code)}`,
  }
}

/** Destinations of an outbox that have a line each; more share one. */
const MOST_LINES = 3

/** Codes of alerts that have their own line below, or come with dead messages. */
const TOLD = new Set(['DESTINATION_DOWN', 'OUTBOX_BEHIND', 'OUTBOX_STALLED'])

function troublesOfOutbox(outbox: OutboxItem, causes: readonly Cause[]): Trouble[] {
  const { name } = outbox
  const down = causes.filter(({ code }) => code === 'DESTINATION_DOWN')
  const stalled = causes.find(({ code }) => code === 'OUTBOX_STALLED')
  const dead = deadOf(outbox)
  const at = `/outboxes/${encodeURIComponent(name)}`
  const found: Trouble[] = []
  const add = (kind: string, trouble: Omit<Trouble, 'id' | 'since'> & Partial<Trouble>) =>
    found.push({ since: null, ...trouble, id: `${name} ${kind}` })
  if (outbox.relays === 0) {
    add('relays', {
      tone: outbox.due > 0 ? 'bad' : 'warning',
      what: `${name}: no relay is running`,
      why: `${countOf(outbox.due, 'message is', 'messages are')} due and no relay sends them.`,
      to: at,
    })
  }
  if (outbox.paused) {
    const by = outbox.pausedBy === null ? '' : ` by ${outbox.pausedBy}`
    const reason = outbox.pauseReason === null ? '' : `: ${outbox.pauseReason}`
    add('paused', {
      tone: 'warning',
      what: `${name} is paused${by}`,
      why: `${countOf(outbox.due, 'message waits', 'messages wait')}${reason}.`,
      since: outbox.pausedAt,
      to: at,
    })
  }
  if (down.length > MOST_LINES) {
    add('destinations', {
      tone: 'bad',
      what: `${name}: ${formatCount(down.length)} destinations are down`,
      why: waitText(outbox),
      since: down[0]?.since ?? null,
      to: at,
    })
  } else {
    for (const { destination, name: called, since, detail } of down) {
      const breaker = outbox.breakers.find((each) => each.destination === destination)
      add(`down ${destination}`, {
        tone: 'bad',
        what: `${name}: ${called ?? destination} is down${breaker ? '; sending paused' : ''}`,
        why: `${breaker ? causeOf(breaker) : detail} ${waitText(outbox)}`,
        since,
        to: at,
      })
    }
  }
  if (stalled) {
    const { detail: why, since } = stalled
    add('stalled', { tone: 'bad', what: `${name} has stalled`, why, since, to: at })
  }
  const isExplained = outbox.paused || outbox.relays === 0 || down.length > 0 || stalled
  if (outbox.oldestDueSeconds > LATE_SECONDS && !isExplained) {
    add('late', {
      tone: 'warning',
      what: `${name} is ${formatDuration(outbox.oldestDueSeconds * 1_000)} behind`,
      why: `${waitText(outbox).replace(/\.$/, '')}${describeDrain(outbox)}.`,
      to: at,
    })
  }
  if (outbox.failureRate > MANY_FAILURES && down.length === 0) {
    add('failures', {
      tone: 'warning',
      what: `${name}: ${formatShare(outbox.failureRate)} of attempts fail`,
      why: 'The outbox retries them by its policy. See the errors of the attempts.',
      to: at,
    })
  }
  if (dead > 0) {
    add('dead', {
      tone: 'warning',
      what: `${name}: ${formatCount(dead)} dead`,
      why: 'Fix the cause, then replay them.',
      since: outbox.deadSince,
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
      what: `${name}: ${countOf(outbox.blockedKeys, 'blocked key')}`,
      why: 'All messages of such a key wait behind one dead message.',
      to: at,
    })
  }
  const isTold = dead + outbox.quarantined + outbox.blockedKeys > 0
  const others = causes.filter(
    ({ code }) => !TOLD.has(code) && (!isTold || code === 'MESSAGE_STUCK'),
  )
  return [...found, ...others.map(openAlerts)]
}

/** Why messages wait, each reason with its number. */
function waitText({ due, retrying, postponed }: OutboxItem): string {
  const reasons = [
    [due, 'due'],
    [retrying, 'failed, retrying'],
    [postponed, 'postponed, not tried'],
  ] as const
  const told = reasons.filter(([n]) => n > 0).map(([n, why]) => `${formatCount(n)} ${why}`)
  if (told.length === 0) return 'No messages wait.'
  const all = due + retrying + postponed
  return `${countOf(all, 'message waits', 'messages wait')}: ${told.join(', ')}.`
}

type Breaker = OutboxItem['breakers'][number]

/** A destination once, however many relays have found it broken: by the first of them. */
export function brokenDestinations(breakers: readonly Breaker[]): Breaker[] {
  const groups = Map.groupBy(breakers, ({ destination }) => destination)
  return [...groups.values()].flatMap((group) =>
    group.toSorted((one, other) => one.openSince.localeCompare(other.openSince)).slice(0, 1),
  )
}

/** Why a destination is not tried. */
export function causeOf({ cause }: Pick<Breaker, 'cause'>): string {
  if (cause === null) return 'Most of its last attempts failed.'
  return `${cause.code}: ${cause.message.replace(/\.$/, '')}.`
}

function describeDrain({ due, drainSeconds }: OutboxItem): string {
  if (due === 0) return ''
  if (drainSeconds === null) return ' and none is being sent'
  return `; drained in ${formatDuration(drainSeconds * 1_000)} at this rate`
}

import { expect, test } from 'vitest'
import { failingOf, troublesOf, type OutboxItem, type Overview } from './trouble.ts'

const fine: OutboxItem = {
  name: 'post.parcels',
  states: ['PENDING', 'SENT'],
  counts: { PENDING: 0, SENT: 10 },
  approximate: false,
  due: 0,
  retrying: 0,
  scheduled: 0,
  oldestDueSeconds: 0,
  oldestUndeliveredSeconds: 0,
  deadSince: null,
  perSecond: 1,
  attemptsPerSecond: 1,
  failureRate: 0,
  relays: 1,
  paused: false,
  pausedBy: null,
  pausedAt: null,
  pauseReason: null,
  heldKeys: 0,
  blockedKeys: 0,
  quarantined: 0,
  roles: {
    ready: 'PENDING',
    claimed: null,
    retry: null,
    failing: null,
    sent: 'SENT',
    confirmed: null,
    dead: 'DEAD',
    cancelled: null,
  },
  drainSeconds: null,
  openAlerts: 0,
  alive: [],
  breakers: [],
}

const overview = (change: Partial<OutboxItem>, open = 0): Overview => ({
  at: '2026-11-15T12:00:00Z',
  clock: { now: '2026-11-15T12:00:00Z', aheadSeconds: 0 },
  alerts: { open, since: open > 0 ? '2026-11-15T11:00:00Z' : null, bySource: {} },
  outboxes: [{ ...fine, ...change }],
  consumers: [],
})

test('nothing is said where nothing is wrong', () => {
  expect(troublesOf(overview({}))).toEqual([])
})

function breakerOf(relay: string, name: string): OutboxItem['breakers'][number] {
  return {
    ...{ destination: `webhooks:${name}`, name, relay, openSince: '2026-11-15T12:00:00Z' },
    nextProbeAt: '2026-11-15T12:00:30Z',
    cause: { code: 'HTTP_503', message: 'closed' },
  }
}

test('a destination is named once, with its cause and since when', () => {
  const change = { breakers: [breakerOf('r', 'shop'), breakerOf('s', 'shop')] }
  expect(troublesOf(overview(change))).toMatchObject([
    { why: 'HTTP_503: closed.', since: '2026-11-15T12:00:00Z' },
  ])
})

test.each<[string, Partial<OutboxItem>, string]>([
  ['no relay', { relays: 0, due: 3 }, 'no relay is running'],
  ['a pause', { paused: true, pausedBy: 'ada' }, 'paused by ada'],
  ['lag', { oldestUndeliveredSeconds: 90, due: 5 }, '1 min 30 s behind'],
  ['an outage', { oldestUndeliveredSeconds: 90, retrying: 5 }, '1 min 30 s behind'],
  ['failures', { failureRate: 0.5 }, '50% of attempts fail'],
  ['dead letters', { counts: { DEAD: 87 } }, '87 given up'],
  ['quarantine', { quarantined: 1 }, '1 quarantined'],
  ['blocked keys', { blockedKeys: 1 }, '1 blocked key'],
  [
    'an open breaker',
    { breakers: [breakerOf('r', 'shop')] },
    'shop is paused by its circuit breaker',
  ],
])('%s is reported', (_, change, words) => {
  expect(troublesOf(overview(change)).map(({ what }) => what)).toEqual([
    expect.stringContaining(words),
  ])
})

test('what was replayed and delivered is no longer named', () => {
  expect(troublesOf(overview({ counts: { DEAD: 0 } }))).toEqual([])
})

test('in an outage all attempts fail, however little is delivered', () => {
  const broken = { failureRate: 1, attemptsPerSecond: 30 }
  const quiet = { failureRate: 0, attemptsPerSecond: 10 }
  expect(failingOf([broken])).toBe(1)
  expect(failingOf([broken, quiet])).toBe(0.75)
  expect(failingOf([])).toBe(0)
})

test('a paused outbox is not called late as well', () => {
  const troubles = troublesOf(overview({ paused: true, oldestUndeliveredSeconds: 4_000 }))
  expect(troubles).toHaveLength(1)
})

test('the worst comes first', () => {
  const troubles = troublesOf(overview({ counts: { DEAD: 1 }, blockedKeys: 2 }, 3))
  expect(troubles.map(({ tone }) => tone)).toEqual(['bad', 'bad', 'warning'])
})

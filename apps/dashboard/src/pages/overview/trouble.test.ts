import { expect, test } from 'vitest'
import { failingOf, troublesOf, type OutboxItem, type Overview, type Cause } from './trouble.ts'

const fine: OutboxItem = {
  name: 'post.parcels',
  states: ['PENDING', 'SENT'],
  counts: { PENDING: 0, SENT: 10 },
  approximate: false,
  due: 0,
  retrying: 0,
  postponed: 0,
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

const cause = (change: Partial<Cause>): Cause => ({
  ...{ source: 'post.parcels', code: 'HTTP_503', destination: null, name: null, open: 1 },
  ...{ since: '2026-11-15T11:00:00Z', detail: 'closed' },
  ...change,
})

const overview = (change: Partial<OutboxItem>, causes: readonly Cause[] = []): Overview => ({
  at: '2026-11-15T12:00:00Z',
  clock: { now: '2026-11-15T12:00:00Z', aheadSeconds: 0 },
  alerts: { open: causes.length, since: null, bySource: {}, causes: [...causes] },
  failing: [],
  outboxes: [{ ...fine, ...change }],
  consumers: [],
})

const down = (name: string) =>
  cause({ code: 'DESTINATION_DOWN', destination: `webhooks:${name}`, name })

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

test('a destination that is down is one line, with its last failure and what waits', () => {
  const change = {
    breakers: [breakerOf('r', 'shop'), breakerOf('s', 'shop')],
    ...{ due: 1, retrying: 43, postponed: 665 },
    ...{ oldestDueSeconds: 90, oldestUndeliveredSeconds: 600, failureRate: 1 },
  }
  expect(troublesOf(overview(change, [down('shop')]))).toMatchObject([
    {
      what: 'post.parcels: shop is down; sending paused',
      why: 'HTTP_503: closed. 709 messages wait: 1 due, 43 failed, retrying, 665 postponed, not tried.',
      since: '2026-11-15T11:00:00Z',
    },
  ])
})

test('many destinations that are down share a line', () => {
  const causes = ['a', 'b', 'c', 'd'].map(down)
  expect(troublesOf(overview({}, causes)).map(({ what }) => what)).toEqual([
    'post.parcels: 4 destinations are down',
  ])
})

test('messages that wait for their next attempt are not behind', () => {
  expect(troublesOf(overview({ oldestUndeliveredSeconds: 1_860, retrying: 5 }))).toEqual([])
})

test('alerts have a line for each cause, unless dead messages tell it', () => {
  const causes = [cause({}), cause({ source: 'evidence.scanner', code: 'SCANNER_DOWN', open: 2 })]
  const whatOf = (change: Partial<OutboxItem>) =>
    troublesOf(overview(change, causes)).map(({ what }) => what)
  expect(whatOf({})).toEqual([
    'post.parcels: 1 open alert, HTTP_503',
    'evidence.scanner: 2 open alerts, SCANNER_DOWN',
  ])
  expect(whatOf({ counts: { DEAD: 1 } })).toEqual([
    'evidence.scanner: 2 open alerts, SCANNER_DOWN',
    'post.parcels: 1 dead',
  ])
})

test.each<[string, Partial<OutboxItem>, string]>([
  ['no relay', { relays: 0, due: 3 }, 'no relay is running'],
  ['a pause', { paused: true, pausedBy: 'ada' }, 'paused by ada'],
  ['lag', { oldestDueSeconds: 90, due: 5 }, '1 min 30 s behind'],
  ['failures', { failureRate: 0.5 }, '50% of attempts fail'],
  ['dead letters', { counts: { DEAD: 87 } }, '87 dead'],
  ['quarantine', { quarantined: 1 }, '1 quarantined'],
  ['blocked keys', { blockedKeys: 1 }, '1 blocked key'],
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
  const troubles = troublesOf(overview({ paused: true, oldestDueSeconds: 4_000 }))
  expect(troubles).toHaveLength(1)
})

test('the worst comes first', () => {
  const troubles = troublesOf(overview({ counts: { DEAD: 1 }, blockedKeys: 2 }, [down('shop')]))
  expect(troubles.map(({ tone }) => tone)).toEqual(['bad', 'bad', 'warning'])
})

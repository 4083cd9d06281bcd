import { stripVTControlCharacters, styleText } from 'node:util'
import { expect, test } from 'vitest'
import { frameText } from '../terminal/interact.ts'
import { statusFrame, type OutboxStatus, type Status } from './status.ts'

const plain = (_: unknown, text: string) => text
const at = new Date(2026, 2, 1, 14, 3, 11)

const calm: OutboxStatus = {
  name: 'shop.warehouse-instructions',
  states: ['pending', 'delivered', 'failed', 'abandoned', 'skipped_disabled'],
  counts: { pending: 12, delivered: 1_234_567, failed: 0, abandoned: 0, skipped_disabled: 0 },
  approximate: true,
  due: 0,
  retrying: 0,
  postponed: 0,
  scheduled: 0,
  oldestDueSeconds: 0,
  oldestUndeliveredSeconds: 0,
  deadSince: undefined,
  perSecond: 3.26,
  attemptsPerSecond: 1,
  failureRate: 0.004,
  relays: 2,
  alive: [],
  paused: false,
  stalledSince: undefined,
  heldKeys: 0,
  blockedKeys: 0,
  quarantined: 0,
  deadState: 'abandoned',
  pausedBy: null,
  pausedAt: null,
  pauseReason: null,
  alertsOpen: 0,
}

const troubled: OutboxStatus = {
  ...calm,
  name: 'shop.deliveries',
  states: ['0', '1'],
  counts: { 0: 7, 1: 3 },
  approximate: false,
  oldestDueSeconds: 7_500,
  perSecond: 1_200,
  attemptsPerSecond: 1,
  failureRate: 0.75,
  relays: 0,
  paused: true,
  heldKeys: 1,
  blockedKeys: 2,
  quarantined: 3,
  deadState: null,
  pausedBy: 'cli:ada',
  pausedAt: at,
  pauseReason: 'the broker\nmoves \x1b[31mhouse',
  alertsOpen: 1,
}

const status: Status = {
  at,
  database: 'PostgreSQL 18.4 at db:5432',
  outboxes: [calm, troubled],
  alertsOpen: { 'shop.deliveries': 1, 'shop.stocktaking': 4 },
}

test('a frame says how every outbox is doing, in its own words', () => {
  expect(statusFrame(status, { paint: plain, width: 80 })).toEqual([
    '14:03:11  PostgreSQL 18.4 at db:5432',
    '',
    'OUTBOX                       OLDEST DUE  RATE/S  FAILED  RELAYS',
    'shop.warehouse-instructions           –     3.3     <1%       2',
    '  pending 12  delivered ~1.2M  failed 0  abandoned 0  skipped_disabled 0',
    'shop.deliveries                   2h 5m   1,200     75%       0',
    '  0 7  1 3',
    '  paused by cli:ada since 14:03:11: the broker moves [31mhouse',
    '  1 key held, 2 keys blocked, 3 messages quarantined',
    '  1 open alert',
    '',
    'open alerts: shop.stocktaking 4',
  ])
})

test.each([40, 60, 80])('no line is wider than a screen of %i columns', (width) => {
  const long = { ...troubled, pauseReason: 'because '.repeat(40), heldKeys: 1e9 }
  const away = { since: at, reason: 'connect ECONNREFUSED '.repeat(9) }
  const paintAlways = (style: Parameters<typeof styleText>[0], text: string) =>
    styleText(style, text, { validateStream: false })
  const options = { paint: paintAlways, width, away }
  const lines = statusFrame({ ...status, outboxes: [calm, long] }, options)
  const widths = lines
    .map((line) => stripVTControlCharacters(line))
    // The figures themselves are never cut.
    .filter((line) => !/RELAYS|%/.test(line))
    .map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThanOrEqual(width)
  expect(lines.join('')).toContain('\x1b[31m')
})

test('a database that is away leaves the last figures on the screen', () => {
  const away = { since: at, reason: 'connection refused' }
  const [first, , ...rest] = statusFrame(status, { paint: plain, width: 80, away })
  expect(first).toBe('database unavailable since 14:03:11, trying again: connection refused')
  expect(rest).toEqual(statusFrame(status, { paint: plain, width: 80 }))
})

test('a frame is drawn over the last one and cut to the height of the screen', () => {
  expect(frameText(['a', 'b'], 5)).toBe('\x1b[Ha\x1b[K\r\nb\x1b[K\r\n\x1b[J')
  const tall = frameText(
    Array.from({ length: 9 }, (_, i) => String(i)),
    4,
  )
  expect(stripVTControlCharacters(tall).trim().split('\r\n')).toEqual(['0', '1', '…'])
})

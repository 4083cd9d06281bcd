import { describe, expect, test } from 'vitest'
import { defineOutbox } from './define.ts'
import type { OutboxDefinition } from './definition.ts'
import { dueOccurrences, nextAfter, type Recurring } from './recurring.ts'
import { fixed } from './retry.ts'

const message = () => ({})

const timesOf = (rule: Parameters<typeof nextAfter>[0], from: string, count: number): string[] => {
  const times: string[] = []
  for (let at = nextAfter(rule, new Date(from)); at && times.length < count;) {
    times.push(at.toISOString().slice(5, 16))
    at = nextAfter(rule, at)
  }
  return times
}

describe('a calendar with summer time', () => {
  const half = { cron: '30 2 * * *', timeZone: 'Europe/Zurich' }

  test('gives a time that the clocks leave out at the moment they go forward', () => {
    expect(timesOf(half, '2026-03-28T00:00:00Z', 3)).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ])
  })

  test('gives a time that the clocks show twice once', () => {
    expect(timesOf(half, '2026-10-24T00:00:00Z', 3)).toEqual([
      '10-24T00:30',
      '10-25T00:30',
      '10-26T01:30',
    ])
  })

  test('goes on through the hour that is shown twice', () => {
    const hourly = { cron: '0 * * * *', timeZone: 'Europe/Zurich' }
    expect(timesOf(hourly, '2026-10-24T23:30:00Z', 3)).toEqual([
      '10-25T00:00',
      '10-25T01:00',
      '10-25T02:00',
    ])
  })
})

test('lengths of time are counted from 1970', () => {
  expect(timesOf({ every: '6h' }, '2026-05-01T01:02:03Z', 2)).toEqual([
    '05-01T06:00',
    '05-01T12:00',
  ])
})

describe('times that were missed', () => {
  const due = (missed: Recurring<object>['missed'], now: string, rule = { cron: '0 * * * *' }) => {
    const first = new Date('2026-05-01T01:00:00Z')
    const recurring = { ...rule, message, ...(missed && { missed }) }
    const { at, next } = dueOccurrences(recurring, { first, now: new Date(now) })
    return [at.map((each) => each.toISOString().slice(11, 16)), next?.toISOString().slice(11, 16)]
  }

  test.each([
    ['latest', '2026-05-01T04:30:00.250Z', ['04:00'], '05:00'],
    ['latest', '2026-05-01T04:00:00.000Z', ['04:00'], '05:00'],
    ['all', '2026-05-01T04:30:00Z', ['01:00', '02:00', '03:00', '04:00'], '05:00'],
    ['skip', '2026-05-01T04:30:00Z', [], '05:00'],
    ['skip', '2026-05-01T04:00:59Z', ['04:00'], '05:00'],
    ['skip', '2026-05-01T00:59:00Z', [], '01:00'],
  ] as const)('%s at %s', (missed, now, at, next) => {
    expect(due(missed, now)).toEqual([at, next])
  })

  test('all of them are made up for in parts', () => {
    const first = new Date('2026-05-01T00:00:00Z')
    const now = new Date('2026-05-01T01:00:00Z')
    const parts = dueOccurrences({ every: '1s', missed: 'all', message }, { first, now })
    expect(parts.at).toHaveLength(100)
    expect(parts.next?.toISOString()).toBe('2026-05-01T00:01:40.000Z')
  })
})

describe('a definition is refused', () => {
  const define = (recurring: unknown) =>
    defineOutbox({
      name: 'shop.reports',
      table: 'shop.reports',
      states: { ready: 'pending', sent: 'sent', dead: 'dead' },
      columns: { dueAt: 'due_at' },
      counter: { column: 'attempts', bumps: 'on-failure' },
      retry: fixed('1s', { attempts: 3 }),
      destination: { transport: 'any', topic: 'reports' },
      message: () => ({ id: '1', type: 'report', payload: {} }),
      recurring,
    } as OutboxDefinition<Record<string, unknown>>)

  test.each([
    ['neither', { message }, 'needs either cron or every'],
    ['both', { cron: '* * * * *', every: '1m', message }, 'needs either cron or every'],
    ['fields', { cron: '* * *', message }, 'is not a valid pattern'],
    ['value', { cron: '61 * * * *', message }, 'is not a valid pattern'],
    ['years', { cron: '0 0 0 1 1 * 2020', message }, 'is not a valid pattern'],
    ['never', { cron: '0 0 30 2 *', message }, 'never occurs'],
    ['zone', { cron: '* * * * *', timeZone: 'Mars/Base', message }, 'is not a time zone'],
    ['every-zone', { every: '1h', timeZone: 'UTC', message }, 'must be left out'],
    ['soon', { every: '10ms', message }, 'must be at least 1s'],
    ['length', { every: 'hourly', message }, 'is not a duration'],
    ['missed', { every: '1h', missed: 'maybe', message }, 'must be "latest"'],
    ['message', { every: '1h' }, 'must be a function'],
    ['typo', { every: '1h', tz: 'UTC', message }, 'is not a field'],
    ['a name', { every: '1h', message }, 'must be called by'],
  ])('%s', (name, rule, problem) => {
    expect(() => define({ [name]: rule })).toThrow(problem)
  })
})

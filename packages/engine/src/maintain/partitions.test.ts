import { describe, expect, test } from 'vitest'
import { archiveRule, planPartitions, transitionRule, type Partition } from './partitions.ts'
import { SAMPLES } from '../testing/outboxes.ts'

const DAY = 86_400_000
/** A Wednesday. */
const NOW = Date.parse('2026-11-11T12:00:00Z')
const at = (day: string) => Date.parse(`${day}T00:00:00Z`)
const until = (name: string, day: string): Partition => ({ name, untilMs: at(day) })

const plan = (partitions: readonly Partition[], keepMs = 90 * DAY) => {
  const { retire, create, drop } = planPartitions(transitionRule(keepMs), partitions, NOW)
  return { retire, create: create.map((ms) => new Date(ms).toISOString().slice(0, 10)), drop }
}

describe('the partitions of a table', () => {
  test('begin with the default, which takes all until Monday', () => {
    expect(plan([])).toEqual({
      retire: { fromMs: undefined, toMs: at('2026-11-16') },
      create: ['2026-11-16', '2026-11-23', '2026-11-30', '2026-12-07'],
      drop: [],
    })
  })

  test('grow by a week', () => {
    expect(plan([until('transition_p20261130', '2026-12-07')])).toEqual({
      retire: undefined,
      create: ['2026-12-07'],
      drop: [],
    })
    expect(plan([until('transition_p20261207', '2026-12-14')]).create).toEqual([])
  })

  test('go on where they ended, after weeks without maintenance', () => {
    expect(plan([until('transition_p20261005', '2026-10-12')])).toEqual({
      retire: { fromMs: at('2026-10-12'), toMs: at('2026-11-16') },
      create: ['2026-11-16', '2026-11-23', '2026-11-30', '2026-12-07'],
      drop: [],
    })
  })

  test('made by hand are respected', () => {
    const byHand = until('transition_november', '2026-12-01')
    expect(plan([byHand]).create).toEqual(['2026-12-01', '2026-12-07'])
    expect(plan([{ name: 'transition_all', untilMs: null }])).toEqual({
      retire: undefined,
      create: [],
      drop: [],
    })
  })

  test('go when all of their week is past its time', () => {
    const present = until('transition_p20261207', '2026-12-14')
    const partitions = [
      until('transition_p20260803', '2026-08-10'),
      until('transition_p20260810', '2026-08-17'),
      until('elsewhere_p20260803', '2026-08-10'),
      present,
    ]
    expect(plan(partitions).drop).toEqual(['transition_p20260803'])
    expect(plan(partitions, 0).drop).toEqual(['transition_p20260803', 'transition_p20260810'])
  })
})

describe('the archive', () => {
  const outboxes = SAMPLES.map(({ outbox }) => outbox)

  test('keeps its rows for the longest that an outbox says', () => {
    const [first, second, ...rest] = outboxes
    const week = { ...first!, retention: { after: '1d', archive: '7d' } } as const
    const year = { ...second!, retention: { after: '1d', archive: '365d' } } as const
    const { keepMs, knownOutboxes } = archiveRule([week, year, ...rest])
    expect(keepMs).toBe(365 * DAY)
    expect(knownOutboxes).toEqual([week.name, year.name])
  })

  test('keeps them for ever when none says anything', () => {
    const silent = outboxes.map((outbox) => ({ ...outbox, retention: undefined }))
    expect(archiveRule(silent).keepMs).toBeUndefined()
    expect(archiveRule([]).keepMs).toBeUndefined()
  })
})

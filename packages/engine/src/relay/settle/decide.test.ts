import { describe, expect, test } from 'vitest'
import { decide, decideConfirmed, decideLost, triesOf, type Facts } from './decide.ts'
import type { Outbox } from '../../outbox/define.ts'
import {
  delivered,
  refused,
  retryLater,
  unknown,
  unreachable,
  type Outcome,
} from '../../outbox/outcome.ts'
import {
  parcelRows,
  clubEvents,
  outboundLetters,
  tripEvents,
  hookDeliveries,
} from '../../testing/outboxes.ts'

const facts = (given: Partial<Facts> = {}): Facts => ({
  counted: 0,
  limit: undefined,
  lostClaims: 0,
  wasRetry: false,
  ...given,
})

const failed = retryLater({ code: 'DOWN', message: 'x' })
const row = (outbox: unknown, given: Partial<Facts>, outcome: Outcome) => {
  const { role, delayMs, bump } = decide(outbox as Outbox, facts(given), {
    outcome,
    backoffMs: 4_000,
  })
  return [role, delayMs, bump]
}

describe('attempts', () => {
  test.each([
    ['hooks, first failure', hookDeliveries, { counted: 0 }, failed, ['retry', 2_000, 1]],
    ['hooks, fourth failure', hookDeliveries, { counted: 3 }, failed, ['retry', 16_000, 1]],
    ['hooks, fifth failure', hookDeliveries, { counted: 4 }, failed, ['dead', undefined, 1]],
    ['hooks, unreachable is charged', hookDeliveries, {}, unreachable('x'), ['retry', 2_000, 1]],
    ['hooks, delivered', hookDeliveries, { counted: 2 }, delivered(), ['sent', undefined, 0]],
    ['trips, fifth retry', tripEvents, { counted: 4 }, failed, ['retry', 16_000, 1]],
    ['trips, after the fifth retry', tripEvents, { counted: 5 }, failed, ['dead', undefined, 1]],
    [
      'trips, unreachable is free',
      tripEvents,
      { counted: 5 },
      unreachable('x'),
      ['stay', 4_000, 0],
    ],
    [
      'messages, first attempt',
      outboundLetters,
      { counted: 1, limit: 5 },
      failed,
      ['retry', 60_000, 0],
    ],
    [
      'messages, fourth',
      outboundLetters,
      { counted: 4, limit: 5 },
      failed,
      ['retry', 3_600_000, 0],
    ],
    [
      'messages, at its limit',
      outboundLetters,
      { counted: 5, limit: 5 },
      failed,
      ['dead', undefined, 0],
    ],
    [
      'messages, sixth of six',
      outboundLetters,
      { counted: 5, limit: 6 },
      failed,
      ['retry', 21_600_000, 0],
    ],
    [
      'messages, a rate limit gives the attempt back',
      outboundLetters,
      { counted: 5, limit: 5 },
      retryLater('slow down', { after: '30s', charge: false }),
      ['stay', 30_000, -1],
    ],
    [
      'messages, unknown waits',
      outboundLetters,
      { counted: 1 },
      unknown('x'),
      ['await', 120_000, 0],
    ],
    ['parcels, a failed publish is free', parcelRows, { counted: 0 }, failed, ['stay', 4_000, 0]],
    [
      'parcels, of a retry too',
      parcelRows,
      { counted: 1, wasRetry: true },
      failed,
      ['stay', 4_000, -1],
    ],
    ['clubs, first', clubEvents, { counted: 0 }, failed, ['retry', 1_000, 1]],
    ['clubs, seventh', clubEvents, { counted: 6 }, failed, ['retry', 900_000, 1]],
    ['clubs, for ever', clubEvents, { counted: 5_000 }, failed, ['retry', 900_000, 1]],
    ['clubs, never refused', clubEvents, { counted: 0 }, refused('no'), ['retry', 1_000, 1]],
    ['clubs, unreachable is charged', clubEvents, {}, unreachable('x'), ['retry', 1_000, 1]],
    ['a refusal', hookDeliveries, { counted: 0 }, refused('no'), ['dead', undefined, 1]],
    [
      'a delay the destination asked for',
      hookDeliveries,
      { counted: 0 },
      retryLater('x', { after: '1h' }),
      ['retry', 3_600_000, 1],
    ],
  ])('%s', (_, outbox, given, outcome, expected) => {
    expect(row(outbox, given, outcome)).toEqual(expected)
  })
})

describe('outcomes that come later', () => {
  test.each([
    ['success', parcelRows, { counted: 0 }, delivered(), ['confirmed', undefined, 0]],
    ['first failure', parcelRows, { counted: 0 }, failed, ['retry', 21_600_000, 0]],
    ['second failure', parcelRows, { counted: 1 }, failed, ['retry', 21_600_000, 0]],
    ['third failure', parcelRows, { counted: 2 }, failed, ['dead', undefined, 0]],
    ['refused', parcelRows, { counted: 0 }, refused('no'), ['dead', undefined, 0]],
  ])('%s', (_, outbox, given, outcome, expected) => {
    const decision = decideConfirmed(outbox, facts(given), outcome)
    expect([decision.role, decision.delayMs, decision.bump]).toEqual(expected)
  })
})

describe('lost claims', () => {
  const lostDecision = (outbox: unknown, given: Partial<Facts>) => {
    const { role, lost: kept, failure } = decideLost(outbox as Outbox, facts(given))
    return [role, kept, failure?.code]
  }

  test('go back to be claimed in a group, and three times alone', () => {
    expect(lostDecision(tripEvents, { lostClaims: 1 })).toEqual(['retry', 1, 'CLAIM_EXPIRED'])
    expect(lostDecision(tripEvents, { lostClaims: 4 })).toEqual(['retry', 4, 'CLAIM_EXPIRED'])
    expect(lostDecision(tripEvents, { lostClaims: 5 })).toEqual(['dead', 0, 'CLAIM_FATAL'])
  })

  test('are parked where nothing ever ends', () => {
    expect(lostDecision(clubEvents, { lostClaims: 5 })).toEqual(['quarantined', 0, 'CLAIM_FATAL'])
  })

  test('end a message whose claims were its attempts', () => {
    expect(lostDecision(outboundLetters, { lostClaims: 1, counted: 5, limit: 5 })[0]).toBe('dead')
    expect(lostDecision(outboundLetters, { lostClaims: 1, counted: 4, limit: 5 })[0]).toBe('retry')
  })
})

test('tries include the one under way, however they are counted', () => {
  expect(triesOf(hookDeliveries as unknown as Outbox, facts({ counted: 2 }))).toBe(3)
  expect(triesOf(outboundLetters as unknown as Outbox, facts({ counted: 2 }))).toBe(2)
  expect(triesOf(parcelRows as unknown as Outbox, facts({ counted: 2 }))).toBe(3)
})

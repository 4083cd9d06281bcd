import { expect, test } from 'vitest'
import { delivered, retryLater, unreachable, type Outcome } from '../outbox/outcome.ts'
import { settlementOf, type Settlement } from './settle/settlement.ts'
import { StuckMessages } from './stuck-messages.ts'
import { tripEvents } from '../testing/outboxes.ts'
import type { Outbox } from '../outbox/define.ts'

const outbox = tripEvents as unknown as Outbox

function ended(id: string, outcome: Outcome): Settlement {
  const row = { id, status: 'CLAIMED', retry_count: 0, lost_claims: 0 }
  return settlementOf(outbox, row, { outcome, backoffMs: 0 })
}

/** The look at which a message is found; undefined if none finds it. */
function foundAt(outcomeAt: (n: number) => Outcome, { others = true, everyMs = 1_000 } = {}) {
  const messages = new StuckMessages(outbox)
  for (let n = 1; n <= 100; n += 1) {
    const beside = others ? [ended('other', delivered())] : []
    if (messages.note([...beside, ended('one', outcomeAt(n))], n * everyMs).length > 0) return n
  }
  return undefined
}

const away = () => unreachable(new Error('terminated'))

test('a message that is tried and never counted is found, once', () => {
  expect(foundAt(away)).toBe(20)
  const messages = new StuckMessages(outbox)
  const found = Array.from({ length: 60 }, (_, n) =>
    messages.note([ended('other', delivered()), ended('one', away())], n),
  )
  expect(found.flat()).toEqual(['one'])
})

test.each([
  ['an attempt that counts', () => retryLater(new Error('500'))],
  ['what was not tried', () => retryLater(new Error('breaker'), { charge: false })],
  ['a rate limit', () => retryLater(new Error('429'), { charge: false, tried: true })],
  ['a count in between', (n: number) => (n % 19 === 0 ? retryLater(new Error('500')) : away())],
])('%s is not stuck', (_, outcomeAt) => {
  expect(foundAt(outcomeAt)).toBeUndefined()
})

test('an outage of all is one until it is ten minutes long', () => {
  expect(foundAt(away, { others: false })).toBeUndefined()
  expect(foundAt(away, { others: false, everyMs: 10_000 })).toBe(61)
})

test('a count towards a number that is never reached is none', () => {
  const endless = { ...outbox, retry: { ...outbox.retry, attempts: 1_000_000 } } as Outbox
  const messages = new StuckMessages(endless)
  const failing = settlementOf(
    endless,
    { id: 'one', status: 'CLAIMED', retry_count: 3, lost_claims: 0 },
    { outcome: retryLater(new Error('500')), backoffMs: 0 },
  )
  const found = Array.from({ length: 30 }, (_, n) =>
    messages.note([ended('other', delivered()), failing], n),
  )
  expect(found.flat()).toEqual(['one'])
})

test('a message is found after thousands that were never heard of again', () => {
  const messages = new StuckMessages(outbox)
  messages.note(
    Array.from({ length: 3_000 }, (_, n) => ended(`gone ${n}`, away())),
    0,
  )
  const found = Array.from({ length: 30 }, (_, n) =>
    messages.note([ended('other', delivered()), ended('one', away())], n),
  )
  expect(found.flat()).toEqual(['one'])
})

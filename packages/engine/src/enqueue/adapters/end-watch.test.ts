import { expect, test } from 'vitest'
import { beginsTransaction, endsTransaction } from '../../database/ending-text.ts'
import { createEndWatch } from './end-watch.ts'

test.each(['commit', ' COMMIT AND CHAIN', 'end', 'rollback', 'Rollback work', 'abort'])(
  '%j ends a transaction',
  (text) => expect(endsTransaction(text)).toBe(true),
)

test("so does `prepare transaction 'x'`", () => {
  expect(endsTransaction("prepare transaction 'x'")).toBe(true)
})

test.each([
  'rollback to a',
  'ROLLBACK TO SAVEPOINT "a"',
  'rollback work to a',
  'release savepoint commit',
  'committed',
  'prepare x as select 1',
  'select 1 -- commit',
])('%j does not', (text) => expect(endsTransaction(text)).toBe(false))

test.each(['begin', 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'start transaction read only'])(
  '%j begins one',
  (text) => expect(beginsTransaction(text)).toBe(true),
)

test('the end is announced when COMMIT is sent, and over when it is answered, well or not', async () => {
  for (const settle of ['resolve', 'reject'] as const) {
    const watch = createEndWatch()
    const answer = Promise.withResolvers<void>()
    let ended = false
    watch.onEnd(() => (ended = true))
    expect(watch.isRequested()).toBe(false)
    watch.tell(answer.promise)
    expect(watch.isRequested()).toBe(true)
    expect(ended).toBe(false)
    answer[settle]()
    await expect.poll(() => ended).toBe(true)
  }
})

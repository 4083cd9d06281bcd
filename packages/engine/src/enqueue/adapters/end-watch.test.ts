import { expect, test } from 'vitest'
import { beginsTransaction, endsTransaction } from '../../database/ending-text.ts'
import { createEndWatch } from './end-watch.ts'

test.each([
  'commit',
  ' COMMIT AND CHAIN',
  'end',
  'rollback',
  'Rollback work',
  'abort',
  'rollback; begin',
  'select 1; rollback; begin',
  "select ';'; commit; start transaction",
  '/* now */ rollback',
  'rollback to a; rollback',
])('%j ends a transaction', (text) => expect(endsTransaction(text)).toBe(true))

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
  "select '; rollback; '",
  'select 1 as "a; commit"',
  'do $$ begin perform 1; rollback; end $$',
  'create function f() returns int language plpgsql as $f$ begin; commit; end $f$',
  'create function f() returns int begin atomic select 1; end',
  'select case when a then 1 end; select 2 /* ; commit */',
  'select 1; rollback to savepoint a',
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

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { transaction } from './database/transaction.ts'
import { failureOf } from './errors.ts'
import { raiseAlert, recoverAlert } from './outbox/alert.ts'
import { delivered } from './outbox/outcome.ts'
import { beat } from './relay/session/session.sql.ts'
import { cut, storableJson, storableText } from './storable.ts'
import { testDatabase } from './testing/index.ts'

const { pool } = await testDatabase()
const HORN = '\u{1F4EF}'
const half = HORN.slice(0, 1)
const bad = `a\0b${half}`

test('a text is cut between characters', () => {
  expect(cut(`ab${HORN}`, 4)).toBe(`ab${HORN}`)
  expect(cut(`ab${HORN}`, 3)).toBe('ab')
  expect(cut(`ab${HORN}c`, 4)).toBe(`ab${HORN}`)
  expect(cut('abc', 2)).toBe('ab')
})

test('Postgres takes what is made storable, as text and as JSON', async () => {
  const json = storableJson({ [bad]: [bad, { inner: `${half}c` }], kept: [HORN, 1, null] })
  const { rows } = await pool.query('select $1::text as text, $2::jsonb as json', [
    storableText(bad),
    json,
  ])
  expect(rows).toEqual([
    {
      text: 'ab\uFFFD',
      json: { 'ab\uFFFD': ['ab\uFFFD', { inner: '\uFFFDc' }], kept: [HORN, 1, null] },
    },
  ])
})

test('a failure is storable, also where its own cut meets a character', () => {
  const { code, message } = failureOf({ code: bad, message: `${'x'.repeat(1_999)}${HORN}` }, 'NO')
  expect({ code, message }).toEqual({ code: 'ab\uFFFD', message: 'x'.repeat(1_999) })
})

test('a reference is storable, and one that was is left as it is', () => {
  const ref = { partition: 3, offset: '17' }
  expect(delivered(ref)).toEqual({ kind: 'delivered', ref })
  expect(delivered({ at: bad })).toEqual({ kind: 'delivered', ref: { at: 'ab\uFFFD' } })
})

test('an alert with any text is raised once, and recovers', async () => {
  const alert = { source: 'test', subject: bad, code: 'BAD', detail: `${bad} happened` }
  const raised = await transaction(pool, (tx) => raiseAlert(tx, alert))
  const again = await transaction(pool, (tx) => raiseAlert(tx, alert))
  expect(again.id).toBe(raised.id)
  expect(await transaction(pool, (tx) => recoverAlert(tx, alert))).toBe(1)
})

test('a heartbeat goes through, whatever destinations are called', async () => {
  const counts = { [`webhook:${bad}`]: 1 }
  const cause = { code: 'NO', message: bad }
  const { text, values } = beat({
    ...{ id: randomUUID(), relay: 'r', leaseMs: 1_000 },
    pulses: new Map([['o', { delivered: 1, failed: 0, dead: 0, lost: 0, answered: counts }]]),
    breakers: { o: [{ destination: bad, openMs: 1, probeMs: 1, cause }] },
  })
  await pool.query(text, [...values])
})

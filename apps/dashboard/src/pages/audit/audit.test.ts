import { expect, test } from 'vitest'
import { csvOf, type Entry, whatOf, whyOf } from './audit.tsx'

const transition: Entry = {
  kind: 'transition',
  id: '1',
  outbox: 'post.parcels',
  messageId: 'm-1',
  tenant: null,
  from: null,
  to: 'SENT',
  attempt: 1,
  code: 'NACKED',
  error: '=cmd()',
  actor: 'relay',
  reason: null,
  at: '2026-11-15T12:00:00Z',
}

test('says what happened and why', () => {
  expect(whatOf(transition)).toBe('new → SENT')
  expect(whyOf(transition)).toBe('NACKED: =cmd()')
})

test('an export holds no formula and keeps its cells apart', () => {
  const csv = csvOf([{ ...transition, code: null, actor: 'a "b", c' }])
  expect(csv.split('\r\n')).toHaveLength(2)
  expect(csv).toContain(`"'=cmd()"`)
  expect(csv).toContain('"a ""b"", c"')
})

import { expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)
const me = await newUser()
const id = await me.upload([{ name: 'A', amount: '1.00' }])
await me.run(id)

test.each([
  ['/not-a-uuid', 400],
  ['/018f0000-0000-7000-8000-000000000000', 404],
  ['?limit=0', 400],
  ['?cursor=x', 400],
  ['?status=lost', 400],
  [`/${id}/records?reason=none`, 400],
  [`/${id}/records?cursor=WzFd`, 200],
  [`/${id}/records?cursor=WzFlOTld`, 400],
  [`/${id}/records/0`, 400],
  [`/${id}/records/x`, 400],
  [`/${id}/records/999999999`, 404],
  [`/${id}/suggestions?status=maybe`, 400],
])('GET %s is %d', async (path, status) => {
  expect((await me.get(path)).status).toBe(status)
})

test.each([
  ['run', { dryRun: 'yes' }, 400],
  ['run', { dryrun: true }, 400],
  ['run', {}, 200],
  ['records/2/ignore', { reason: '' }, 400],
  ['records/2/ignore', { reason: 'x'.repeat(2_001) }, 400],
  ['records/2/ignore', { reason: 'a\0b' }, 400],
  ['records/2/match', { paymentIds: [], reason: 'x' }, 400],
  ['records/2/match', { paymentId: 'x', reason: 'x' }, 400],
  ['records/2/unmatch', { reason: 'x', version: -1 }, 400],
  ['records/2/unmatch', { reason: 'x' }, 409],
])('POST %s %j is %d', async (path, body, status) => {
  const answer = await me.post(`/${id}/${path}`, body)
  expect(answer.status, answer.text).toBe(status)
})

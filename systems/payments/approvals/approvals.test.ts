import { silentLog } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { beforeAll, expect, test } from 'vitest'
import { paymentKeys } from '../charges/work.ts'
import { givePayments, giveRefund, reconcilerOf } from '../reconciliation/testing/reconciling.ts'
import { paymentsDatabase, runPayments, type Answer, type Client } from '../testing/running.ts'
import { approve, createExecutors } from './decide.ts'

const db = await paymentsDatabase()
const { pool } = db
const running = await runPayments(db, { env: { PAYMENTS_FOUR_EYES_ABOVE: 'EUR=500' } })
const clerk = await running.as({ sub: 'clara', role: 'clerk' })
const approver = await running.as({ sub: 'anton', role: 'approver' })
const second = await running.as({ sub: 'berta', role: 'approver' })
const POLL = { timeout: 10_000 }

beforeAll(() => useMovableClock(pool))

const json = (body: object, method = 'POST') => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const decide = (client: Client, id: unknown, verb: string, body: object = {}): Promise<Answer> =>
  client.send(`/api/v1/approvals/${String(id)}/${verb}`, json(body))

let made = 0
async function paySuccessfully(): Promise<string> {
  const { body } = await clerk.pay(`four eyes ${(made += 1)}`)
  const id = String(body['id'])
  await expect.poll(async () => (await clerk.payment(id))['status'], POLL).toBe('succeeded')
  return id
}

async function refundsOf(id: string): Promise<number[]> {
  const { gatewayRef } = await clerk.payment(id)
  const { refunds } = await running.ledger()
  return refunds.filter(({ chargeId }) => chargeId === gatewayRef).map(({ amount }) => amount)
}

test('a refund above the limit is proposed by one user and approved by another', async () => {
  const id = await paySuccessfully()
  const proposed = await clerk.refund(id, 'large', 600)
  expect(proposed).toMatchObject({
    status: 202,
    body: { kind: 'refund', subject: id, amount: 600, currency: 'EUR', status: 'pending' },
  })
  const proposal = proposed.body['id']
  expect(await clerk.refund(id, 'large', 600)).toMatchObject({ status: 202, body: proposed.body })
  expect(await clerk.refund(id, 'large', 601)).toMatchObject({ status: 409 })
  expect(await clerk.refund(id, 'another', 600)).toMatchObject({
    status: 409,
    body: { code: 'PROPOSAL_PENDING', proposalId: proposal },
  })
  const sameUser = await running.as({ sub: 'clara', role: 'admin' })
  const viewer = await running.as({ sub: 'vera', role: 'viewer' })
  const elsewhere = await running.as({ sub: 'anton', org: 'umbrella', role: 'admin' })
  for (const [client, status, code] of [
    [clerk, 403, 'FORBIDDEN'],
    [viewer, 403, 'FORBIDDEN'],
    [sameUser, 403, 'APPROVER_IS_PROPOSER'],
    [elsewhere, 404, 'NOT_FOUND'],
  ] as const) {
    expect(await decide(client, proposal, 'approve')).toMatchObject({ status, body: { code } })
  }
  expect(await refundsOf(id)).toEqual([])

  const approved = await decide(approver, proposal, 'approve', { reason: 'I asked her' })
  expect(approved).toMatchObject({
    status: 200,
    body: { status: 'approved', decidedBy: 'anton', result: { refundId: expect.any(String) } },
  })
  expect(await refundsOf(id)).toEqual([600])
  expect(await decide(second, proposal, 'approve')).toMatchObject({
    status: 409,
    body: { code: 'PROPOSAL_CLOSED' },
  })
  expect(await clerk.refund(id, 'large', 600)).toMatchObject({ body: { status: 'approved' } })
  const { rows } = await pool.query(
    `select actor, action from payments.audit_log where entity_id = $1 order by seq`,
    [proposal],
  )
  expect(rows).toEqual([
    { actor: 'clara', action: 'proposal.created' },
    { actor: 'anton', action: 'proposal.approved' },
  ])
})

test('small refunds are weighed together, and those of two approvers at once are one', async () => {
  const id = await paySuccessfully()
  expect(await clerk.refund(id, 'small', 300)).toMatchObject({ status: 201 })
  const proposed = await clerk.refund(id, 'small again', 300)
  expect(proposed).toMatchObject({ status: 202, body: { amount: 600 } })
  const both = await Promise.all(
    [approver, second].map((each) => decide(each, proposed.body['id'], 'approve')),
  )
  expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409'])
  expect(await refundsOf(id)).toEqual([300, 300])
})

test('work that was approved goes on when its process dies, and where the gateway is silent', async () => {
  const keys = paymentKeys({ expires: '1d', lockMs: 1_000, gatewayTimeoutMs: 100 })
  const executors = createExecutors({ pool, keys, gateway: undefined as never })
  const id = await paySuccessfully()
  const { body } = await clerk.refund(id)
  const dead = {
    ...executors,
    refund: {
      ...executors.refund,
      execute: async (...args: Parameters<typeof executors.refund.execute>) => {
        const { result } = await executors.refund.execute(...args)
        return { result }
      },
    },
  }
  const caller = { sub: 'anton', org: 'acme', role: 'approver', expiresAt: 0 } as const
  const decider = { caller, reason: null }
  await approve({ pool, executors: dead, log: silentLog }, String(body['id']), decider)
  await expect.poll(() => refundsOf(id), POLL).toEqual([1_000])

  const other = await paySuccessfully()
  await running.gateway('faults', { mode: 'drop', times: 1, effect: true })
  const { body: next } = await clerk.refund(other)
  const approved = await decide(approver, next['id'], 'approve')
  expect(approved).toMatchObject({ status: 200, body: { status: 'approved' } })
  await expect.poll(async () => (await clerk.payment(other))['status'], POLL).toBe('refunded')
  expect(await refundsOf(other)).toEqual([1_000])
})

test('what is no longer possible leaves the proposal waiting; it is rejected, withdrawn or expires', async () => {
  const id = await paySuccessfully()
  const { body: first } = await clerk.refund(id, undefined, 900)
  expect(await decide(approver, first['id'], 'reject')).toMatchObject({ status: 400 })
  const rejected = await decide(approver, first['id'], 'reject', { reason: 'no receipt' })
  expect(rejected.body).toMatchObject({ status: 'rejected', decisionReason: 'no receipt' })
  const { body: again } = await clerk.refund(id, undefined, 900)
  expect(await clerk.refund(id, undefined, 400)).toMatchObject({ status: 201 })
  expect(await decide(approver, again['id'], 'approve')).toMatchObject({
    status: 409,
    body: { code: 'REFUND_EXCEEDS_PAYMENT' },
  })
  expect((await approver.send(`/api/v1/approvals/${String(again['id'])}`)).body).toMatchObject({
    status: 'pending',
  })
  expect(await decide(approver, again['id'], 'withdraw')).toMatchObject({
    status: 403,
    body: { code: 'NOT_THE_PROPOSER' },
  })
  expect(await decide(clerk, again['id'], 'withdraw')).toMatchObject({
    body: { status: 'withdrawn' },
  })
  const { body: last } = await clerk.refund(id, undefined, 600)
  await advanceClock(pool, '8d')
  expect(await decide(approver, last['id'], 'approve')).toMatchObject({
    status: 409,
    body: { code: 'PROPOSAL_CLOSED', detail: 'It is expired.' },
  })
  const entries = async () => {
    const { rows } = await pool.query(
      `select p.status, a.action, a.actor
         from payments.proposals as p
         join payments.audit_log as a on a.entity_id = p.id::text
        where p.id = $1 and a.action <> 'proposal.created'`,
      [last['id']],
    )
    return rows as unknown[]
  }
  const expired = { status: 'expired', action: 'proposal.expired', actor: 'payments.proposals' }
  await expect.poll(entries, POLL).toEqual([expired])
  expect(await refundsOf(id)).toEqual([400])
})

test('limits are lowered by one admin and raised by two', async () => {
  const [admin, other] = [
    await running.as({ sub: 'root', org: 'limits' }),
    await running.as({ sub: 'rita', org: 'limits' }),
  ]
  const put = (client: Client, amount: number | null) =>
    client.send('/api/v1/approval-limits', json({ limits: [{ currency: 'EUR', amount }] }, 'PUT'))
  expect(await put(clerk, 1)).toMatchObject({ status: 403 })
  expect(await put(admin, 400)).toMatchObject({ status: 200 })
  const raised = await put(admin, null)
  expect(raised).toMatchObject({ status: 202, body: { kind: 'limits' } })
  const anApprover = await running.as({ sub: 'anna', org: 'limits', role: 'approver' })
  expect(await decide(anApprover, raised.body['id'], 'approve')).toMatchObject({ status: 403 })
  expect(await decide(other, raised.body['id'], 'approve')).toMatchObject({ status: 200 })
  expect((await admin.send('/api/v1/approval-limits')).body).toEqual({
    limits: [{ currency: 'EUR', amount: null }],
    defaults: [{ currency: 'EUR', amount: 500 }],
  })
})

test('lines of a statement above the limit, and files full of them, take a second person', async () => {
  const PATH = '/api/v1/reconciliations'
  const csv =
    'external_transaction_id,amount,currency,date\nbig,9.00,EUR,2026-01-01\nsmall,1.00,EUR,2026-01-01\n'
  const { body } = await clerk.send(`${PATH}?filename=four-eyes.csv`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  })
  const run = `${PATH}/${String(body['id'])}`
  await clerk.send(`${run}/run`, { method: 'POST' })
  const ignored = await clerk.send(`${run}/records/2/ignore`, json({ reason: 'old' }))
  expect(ignored).toMatchObject({ status: 202, body: { kind: 'decision', amount: 900 } })
  const both = ['2', '3'].map((recordId) => ({ do: 'ignore', recordId }))
  const bulk = await clerk.send(`${run}/decisions`, json({ reason: 'old', decisions: both }))
  expect(bulk.body).toMatchObject({
    applied: [{ id: '3' }],
    refused: [{ recordId: '2', code: 'APPROVAL_REQUIRED' }],
  })
  expect(await decide(approver, ignored.body['id'], 'approve')).toMatchObject({ status: 200 })
  const { body: record } = await clerk.send(`${run}/records/2`)
  expect(record).toMatchObject({ decidedBy: 'ignored' })
  const discard = (path: string) => clerk.send(`${path}/discard`, json({ reason: 'wrong profile' }))
  expect(await discard(run)).toMatchObject({
    status: 202,
    body: { kind: 'discard', amount: 1_000 },
  })
  const untouched = await reconcilerOf(clerk).upload([{ name: 'nobody looked', amount: '9.00' }])
  expect(await discard(`${PATH}/${untouched}`)).toMatchObject({ status: 200 })
})

test('a file does not weigh less by lines that went out, or that were taken back one by one', async () => {
  const mine = reconcilerOf(clerk)
  const reason = 'to discard it alone'
  const names = ['in', 'out', 'first', 'second']
  const amounts = [400, 400, 300, 300]
  const ids = await givePayments(
    pool,
    names.map((name, i) => ({ name, amount: Number(amounts[i]), org: 'acme' })),
  )
  await giveRefund(pool, { of: String(ids[1]), amount: 400, ref: 're_out' })
  const opposite = await mine.upload([
    { name: 'in', amount: '4.00' },
    { name: 're_out', amount: '-4.00' },
  ])
  expect(await mine.run(opposite)).toMatchObject({ matched: 2 })
  expect(await mine.post(`/${opposite}/discard`, { reason })).toMatchObject({
    status: 202,
    body: { amount: 800 },
  })
  const small = await mine.upload([
    { name: 'first', amount: '3.00' },
    { name: 'second', amount: '3.00' },
  ])
  expect(await mine.run(small)).toMatchObject({ matched: 2 })
  for (const line of [2, 3]) {
    for (const verb of ['unmatch', 'reopen']) {
      const done = await mine.post(`/${small}/records/${line}/${verb}`, { reason })
      expect(done).toMatchObject({ status: 200 })
    }
  }
  expect(await mine.post(`/${small}/discard`, { reason })).toMatchObject({
    status: 202,
    body: { amount: 600 },
  })
})

test('a small line with a large adjustment weighs what it is matched with', async () => {
  const mine = reconcilerOf(clerk)
  const [paymentId] = await givePayments(pool, [{ name: 'large', amount: 900, org: 'acme' }])
  const id = await mine.upload([{ name: 'a cent', amount: '0.01' }])
  await mine.run(id)
  const match = (record: number) =>
    mine.post(`/${id}/records/${record}/match`, {
      ...{ paymentId, reason: 'the rest is a fee' },
      adjustment: { amount: -899, kind: 'fee' },
    })
  const proposed = await match(2)
  expect(proposed).toMatchObject({ status: 202, body: { kind: 'decision', amount: 900 } })
  expect(await decide(approver, proposed.body['id'], 'approve')).toMatchObject({ status: 200 })
  const unmatched = await mine.post(`/${id}/records/2/unmatch`, { reason: 'not so' })
  expect(unmatched).toMatchObject({ status: 202, body: { amount: 900 } })
})

test('taking matches back and reopening lines above the limit take a second person too', async () => {
  const mine = reconcilerOf(clerk)
  await givePayments(pool, [
    { name: 'back', amount: 900, org: 'acme', status: 'succeeded' },
    { name: 'back small', amount: 100, org: 'acme', status: 'succeeded' },
  ])
  const id = await mine.upload([
    { name: 'back', amount: '9.00' },
    { name: 'back small', amount: '1.00' },
  ])
  expect(await mine.run(id)).toMatchObject({ matched: 2 })
  const reason = 'to discard it afterwards'
  const act = (line: number, verb: string) =>
    mine.post(`/${id}/records/${line}/${verb}`, { reason })
  const unmatched = await act(2, 'unmatch')
  expect(unmatched).toMatchObject({ status: 202, body: { kind: 'decision', amount: 900 } })
  const decisions = [{ do: 'unmatch', recordId: '2' }]
  expect((await mine.post(`/${id}/decisions`, { reason, decisions })).body).toMatchObject({
    refused: [{ code: 'APPROVAL_REQUIRED' }],
  })
  expect(await act(3, 'unmatch')).toMatchObject({ status: 200 })
  expect(await mine.post(`/${id}/discard`, { reason })).toMatchObject({ status: 202 })
  expect(await decide(approver, unmatched.body['id'], 'approve')).toMatchObject({ status: 200 })
  const reopened = await act(2, 'reopen')
  expect(reopened).toMatchObject({ status: 202, body: { kind: 'decision', amount: 900 } })
  expect(await decide(approver, reopened.body['id'], 'approve')).toMatchObject({ status: 200 })
  expect(await mine.records(id)).toMatchObject([{ reason: 'reopened' }, { decidedBy: 'manual' }])
})

test('captures and voids above the limit take a second person', async () => {
  const authorise = async () => {
    const order = { amount: 1_000, currency: 'EUR', capture: 'manual' }
    return String((await clerk.pay(`held ${(made += 1)}`, order)).body['id'])
  }
  const small = await authorise()
  expect(await clerk.decide(small, 'capture', { amount: 500 })).toMatchObject({ status: 200 })

  const id = await authorise()
  const proposed = await clerk.decide(id, 'capture', { key: 'take', amount: 600 })
  expect(proposed).toMatchObject({
    status: 202,
    body: { kind: 'capture', subject: id, amount: 600, currency: 'EUR', status: 'pending' },
  })
  expect(await clerk.decide(id, 'capture', { key: 'take', amount: 600 })).toMatchObject({
    status: 202,
    body: proposed.body,
  })
  expect(await clerk.payment(id)).toMatchObject({ authorisation: 'authorised' })
  expect(await decide(clerk, proposed.body['id'], 'approve')).toMatchObject({ status: 403 })
  expect(await decide(approver, proposed.body['id'], 'approve')).toMatchObject({
    status: 200,
    body: { status: 'approved', result: { transactionId: expect.any(String) } },
  })
  await expect.poll(async () => (await clerk.payment(id))['status'], POLL).toBe('succeeded')
  expect(await clerk.payment(id)).toMatchObject({ authorisation: 'captured', capturedAmount: 600 })

  const freed = await authorise()
  const voided = await clerk.decide(freed, 'void')
  expect(voided).toMatchObject({ status: 202, body: { kind: 'void', amount: 1_000 } })
  expect(await decide(approver, voided.body['id'], 'approve')).toMatchObject({ status: 200 })
  expect(await clerk.payment(freed)).toMatchObject({ status: 'failed', authorisation: 'voided' })
})

test('a file with large matches is discarded, and a large suggestion accepted, by two persons', async () => {
  const mine = reconcilerOf(clerk)
  const [exact, near] = await givePayments(pool, [
    { name: 'exact', amount: 900, org: 'acme', status: 'succeeded' },
    { name: 'near', amount: 1_000, org: 'acme', status: 'succeeded' },
  ])
  const id = await mine.upload([
    { name: 'exact', amount: '9.00' },
    { name: 'near', amount: '9.96' },
  ])
  await mine.run(id)
  const passes = [{ kind: 'amount_tolerance', absolute: 5, bps: 0 }]
  await mine.post(`/${id}/suggest`, { passes })
  const { body: listed } = await mine.get(`/${id}/suggestions`)
  const [suggestion] = listed['items'] as { id: string }[]
  const path = `/${id}/suggestions/${String(suggestion?.id)}/accept`
  const accepted = await mine.post(path, { reason: 'rounded by the bank' })
  expect(accepted).toMatchObject({
    status: 202,
    body: { kind: 'decision', amount: 1_000, reason: 'rounded by the bank', status: 'pending' },
  })
  expect(await mine.post(path, {})).toMatchObject({
    status: 409,
    body: { code: 'PROPOSAL_PENDING', proposalId: accepted.body['id'] },
  })
  const lineOf = async (line: string) =>
    (await mine.records(id)).find((record) => record.id === line)
  expect(await lineOf('3')).toMatchObject({ status: 'unmatched' })
  expect(await decide(approver, accepted.body['id'], 'approve')).toMatchObject({
    status: 200,
    body: { result: { runId: id, recordId: '3' } },
  })
  expect(await lineOf('3')).toMatchObject({ status: 'matched', matchedPaymentId: near })

  const discarded = await mine.post(`/${id}/discard`, { reason: 'wrong month' })
  expect(discarded).toMatchObject({ status: 202, body: { kind: 'discard', subject: id } })
  expect((await mine.get(`/${id}`)).body).toMatchObject({ discarded: null, matched: 2 })
  expect(await lineOf('2')).toMatchObject({ matchedPaymentId: exact })
  expect(await decide(approver, discarded.body['id'], 'approve')).toMatchObject({ status: 200 })
  // In the name of the one who proposed it.
  expect((await mine.get(`/${id}`)).body).toMatchObject({
    discarded: { by: 'clara', reason: 'wrong month' },
    matched: 0,
  })
  expect(await decide(second, discarded.body['id'], 'approve')).toMatchObject({ status: 409 })
})

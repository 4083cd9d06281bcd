import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ env: { PAYMENTS_FOUR_EYES_ABOVE: 'EUR=500' } })
const patient = { timeout: 30_000 }
const org = 'eyes'

async function succeeded(): Promise<string> {
  const { id } = (await dashboard.call('/api/v1/payments', {
    org,
    body: { amount: 1_200, currency: 'EUR' },
    headers: { 'idempotency-key': randomUUID() },
  })) as { id: string }
  const read = () => dashboard.call(`/api/v1/payments/${id}`, { org })
  await expect.poll(read, patient).toMatchObject({ status: 'succeeded' })
  return id
}

test('a refund above the limit is proposed by one user and approved by another', async () => {
  const id = await succeeded()
  const clerk = await dashboard.open(`/payments?open=${id}`, { org, sub: 'clara', role: 'clerk' })
  await clerk.getByRole('button', { name: 'Refund', exact: true }).click()
  await clerk
    .getByRole('dialog', { name: 'Refund' })
    .getByRole('button', { name: /^Refund/ })
    .click()
  await clerk.getByText('another user has to approve it').waitFor()
  await clerk.goto(`${dashboard.url}/approvals`)
  await clerk.getByRole('row').filter({ hasText: 'Refund' }).click()
  await clerk.getByText('You proposed it: another user has to decide.').waitFor()
  expect(await clerk.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)

  const approver = await dashboard.open('/approvals', { org, sub: 'anton', role: 'approver' })
  await approver.getByLabel('1 waiting').waitFor()
  await approver.getByRole('row').filter({ hasText: 'clara' }).click()
  await approver.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await screenshot(approver, 'approvals')
  await axe(approver)
  await approver.getByRole('button', { name: 'Approve', exact: true }).click()
  await approver.getByText('Approved.').waitFor()
  await approver.getByLabel('1 waiting').waitFor({ state: 'detached' })
  const read = () => dashboard.call(`/api/v1/payments/${id}`, { org })
  await expect.poll(read, patient).toMatchObject({ status: 'refunded' })
})

test('a viewer looks, sees why there is no more to do, and searches the audit', async () => {
  const id = await succeeded()
  const viewer = await dashboard.open(`/payments?open=${id}`, { org, sub: 'vera', role: 'viewer' })
  const refund = viewer.getByRole('button', { name: 'Refund', exact: true, disabled: true })
  await refund.waitFor()
  await refund.focus()
  await viewer
    .getByRole('tooltip')
    .getByText('Your role, viewer, may not create payments')
    .waitFor()
  await refund.press('Enter')
  expect(await viewer.getByRole('dialog', { name: 'Refund' }).count()).toBe(0)
  await axe(viewer)
  for (const [path, name] of [
    ['/payments', 'New payment'],
    ['/webhooks', 'New endpoint'],
    ['/reconciliation/profiles', 'New profile'],
    ['/sagas', 'Place an order'],
    ['/outbound', 'Send a message'],
  ] as const) {
    await viewer.goto(`${dashboard.url}${path}`)
    const button = viewer.getByRole('button', { name, disabled: true })
    await button.first().waitFor()
    // The reason comes with what the server says of the user.
    const reason = async () => (await button.first().getAttribute('aria-description')) ?? ''
    await expect.poll(reason, { message: path }).toMatch(/^Your role, viewer/)
  }
  await viewer.goto(`${dashboard.url}/audit/entries?entityId=${id}`)
  await viewer.getByText('payment.created').first().waitFor()
  await axe(viewer)
})

test('an exception gets an owner and a day, and is found among those of its owner', async () => {
  const csv = 'external_transaction_id,amount,currency,date\nlost,9.00,EUR,2026-01-01\n'
  const response = await fetch(`${dashboard.url}/api/v1/reconciliations?filename=lost.csv`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${dashboard.token({ org, sub: 'clara', role: 'clerk' })}`,
      'content-type': 'text/csv',
    },
    body: csv,
  })
  const { id } = (await response.json()) as { id: string }
  await dashboard.call(`/api/v1/reconciliations/${id}/run`, { org, method: 'POST' })
  const clerk = await dashboard.open(`/reconciliation/${id}`, { org, sub: 'clara', role: 'clerk' })
  await clerk.getByRole('row').filter({ hasText: 'lost' }).getByRole('checkbox').check()
  await clerk.getByRole('button', { name: 'Assign 1' }).click()
  const form = clerk.getByRole('dialog', { name: 'Assign exceptions' })
  await form.getByLabel('Due').fill('2026-01-31')
  await form.getByRole('button', { name: 'Assign' }).click()
  await clerk.getByText('1 exception assigned.').waitFor()
  await clerk.getByText('Overdue', { exact: true }).click()
  await clerk.getByRole('row').filter({ hasText: 'clara' }).getByText('2026-01-31').waitFor()
  await axe(clerk)
  await screenshot(clerk, 'exceptions-assigned')
})

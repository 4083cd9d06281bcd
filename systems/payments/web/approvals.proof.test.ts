import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'
import { payments } from '../index.ts'

const dashboard = await openDashboard({
  systems: [payments],
  env: { PAYMENTS_FOUR_EYES_ABOVE: 'EUR=500' },
})
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

/** A refund that takes a second person. */
async function propose(sub: string): Promise<string> {
  const id = await succeeded()
  await dashboard.call(`/api/v1/payments/${id}/refunds`, {
    ...{ org, sub, role: 'approver' },
    body: {},
    headers: { 'idempotency-key': randomUUID() },
  })
  return id
}

test('many are decided at once, and what is one’s own is left for another', async () => {
  const first = await propose('clara')
  const second = await propose('clara')
  const own = await propose('anton')
  const statusOf = async (id: string) => {
    const payment = (await dashboard.call(`/api/v1/payments/${id}`, { org })) as { status: string }
    return payment.status
  }
  const page = await dashboard.open('/approvals?status=pending', {
    ...{ org, sub: 'anton', role: 'approver', allowed: [/403/] },
  })
  const boxes = page.getByRole('row').getByLabel(/^Select [0-9a-f]{8}/)
  await boxes.nth(2).waitFor()
  await boxes.nth(0).click()
  await boxes.nth(2).click({ modifiers: ['Shift'] })
  await page.getByText('3 rows, 3 selected').waitFor()
  await page.getByRole('button', { name: 'Approve 3 selected' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve 3 proposals?' })
  await dialog.getByText('Refund of €12.00 by clara').first().waitFor()
  await axe(page)
  await screenshot(page, 'approvals-bulk')
  await dialog.getByRole('button', { name: 'Approve 3' }).click()
  const outcome = page.getByRole('alert').filter({ hasText: '2 proposals approved, 1 not' })
  await outcome
    .getByText(
      'Another user must decide about your proposal (APPROVER_IS_PROPOSER): Refund of €12.00 by anton',
    )
    .waitFor()
  await axe(page)
  await screenshot(page, 'approvals-bulk-outcome')
  await expect.poll(() => statusOf(first), patient).toBe('refunded')
  await expect.poll(() => statusOf(second), patient).toBe('refunded')
  expect(await statusOf(own)).toBe('succeeded')
  // What was refused is still selected; if none can be done, the dialog stays and says why.
  await page.getByRole('button', { name: 'Reject 1 selected' }).click()
  const rejecting = page.getByRole('dialog', { name: 'Reject 1 proposal?' })
  await rejecting.getByLabel('Reason').fill('twice')
  await rejecting.getByRole('button', { name: 'Reject 1' }).click()
  await rejecting.getByRole('alert').getByText('APPROVER_IS_PROPOSER').waitFor()

  const other = await dashboard.open('/approvals?status=pending', {
    ...{ org, sub: 'berta', role: 'approver' },
  })
  await other.getByRole('row').filter({ hasText: 'anton' }).getByRole('checkbox').check()
  await other.getByRole('button', { name: 'Reject 1 selected' }).click()
  await other.getByRole('dialog').getByLabel('Reason').fill('paid by bank transfer')
  await other.getByRole('dialog').getByRole('button', { name: 'Reject 1' }).click()
  await other.getByText('1 proposal rejected.').waitFor()
  expect(await statusOf(own)).toBe('succeeded')
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

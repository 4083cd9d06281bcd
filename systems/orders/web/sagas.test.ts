import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { axe, openDashboard, screenshot } from '@posthorn/dashboard/testing'

const dashboard = await openDashboard({ env: { GATEWAY_TIMEOUT_MS: '500' } })
const patient = { timeout: 30_000 }

interface Placed {
  readonly id: string
  readonly sagaId: string
}

function placeOrder(order: { sku?: string; amount?: number } = {}): Promise<Placed> {
  const { sku = 'LAMP', amount = 2_500 } = order
  return dashboard.call('/api/v1/orders', {
    body: { items: [{ sku, quantity: 2 }], amount, currency: 'EUR' },
  }) as Promise<Placed>
}

interface Saga {
  readonly status: string
  readonly step: string | null
  readonly steps: readonly object[]
}

function sagaOf(id: string): Promise<Saga> {
  return dashboard.call(`/api/v1/sagas/${id}`) as Promise<Saga>
}

async function untilState(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await sagaOf(id)).status, patient).toBe(status)
}

const stepOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Steps of the saga' })
    .getByRole('listitem')
    .filter({
      has: page.getByText(name, { exact: true }),
    })

test('timers of orders that are over do not wait', async () => {
  await dashboard.call('/api/v1/orders', {
    body: { items: [{ sku: 'LAMP', quantity: 1 }], amount: 1_000, currency: 'EUR' },
  })
  const statuses = async () => {
    const { items } = (await dashboard.call('/api/v1/orders')) as { items: { status: string }[] }
    return items.map(({ status }) => status)
  }
  await expect.poll(statuses, patient).toContain('COMPLETED')
  const page = await dashboard.open('/overview')
  await page.getByText('Oldest pending').first().waitFor(patient)
  const tiles = page.locator('dl > div')
  const scheduled = tiles.filter({ has: page.getByText('Scheduled', { exact: true }) })
  // The server shares what it counts for a second.
  await expect.poll(() => scheduled.textContent(), patient).toContain('Scheduled0')
})

test('an empty page says how it is filled', async () => {
  const page = await dashboard.open('/sagas', { org: 'nobody', role: 'member' })
  await page.getByText('No orders yet').waitFor()
  await page.getByText('Sagas', { exact: true }).click()
  await page.getByText('No sagas yet').waitFor()
  await page.goto(`${dashboard.url}/sagas?status=FAILED`)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByText('No orders yet').waitFor()
  await axe(page)
})

test('orders and sagas are listed', async () => {
  const done = await placeOrder()
  const undone = await placeOrder({ sku: 'OUT-OF-STOCK' })
  await untilState(done.sagaId, 'COMPLETED')
  await untilState(undone.sagaId, 'COMPENSATED')
  const page = await dashboard.open('/sagas')
  await page.getByRole('gridcell', { name: 'OUT_OF_STOCK' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'orders-light')
  await page.goto(`${dashboard.url}/sagas?list=sagas&status=COMPLETED`)
  await page.getByRole('gridcell', { name: 'All steps done.' }).first().waitFor()
  await axe(page)
  await screenshot(page, 'sagas-light')
  await page.getByRole('gridcell', { name: 'All steps done.' }).first().click()
  await page.getByRole('heading', { name: 'Saga order' }).waitFor()
  for (const step of ['reserve', 'pay', 'ship', 'shipped']) {
    await stepOf(page, step).getByText('done').waitFor()
  }
  await axe(page)
  await screenshot(page, 'saga-light')
  await page.getByRole('link', { name: 'Whole journey' }).click()
  await page.getByRole('link', { name: 'Order placed' }).waitFor()
  await page.getByRole('link', { name: 'Step pay is COMPLETED' }).waitFor()
  await page.getByRole('link', { name: /^Order over/ }).waitFor()
  await axe(page)
  await screenshot(page, 'journey-light')
  await page.setViewportSize({ width: 390, height: 780 })
  await screenshot(page, 'journey-phone')
})

test('a declined order is compensated while the page shows it', async () => {
  const page = await dashboard.open('/sagas')
  await page.getByRole('button', { name: 'Place an order' }).click()
  const form = page.getByRole('dialog', { name: 'Place 1 order' })
  await form.getByRole('textbox', { name: 'Amount' }).fill('19.02')
  await axe(page)
  await screenshot(page, 'place-order-light')
  await form.getByRole('button', { name: 'Place 1 order' }).click()
  await page.getByText('Order placed.').waitFor()
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
  await stepOf(page, 'reserve').getByText('undone').waitFor()
  await stepOf(page, 'paid').getByText('refused').waitFor()
  await stepOf(page, 'shipped').getByText('not started').waitFor()
  await page.getByText('PAYMENT_DECLINED').first().waitFor()
  await page.getByText('stock.released').first().waitFor()
  await axe(page)
  await screenshot(page, 'saga-undone-light')
})

test('what runs is cancelled, and everything is given back', async () => {
  await dashboard.call('/api/v1/outboxes/sagas.events/pause', { body: {} })
  const { sagaId } = await placeOrder()
  const page = await dashboard.open(`/sagas/${sagaId}`)
  await page.getByText('Waiting at reserved').waitFor(patient)
  await screenshot(page, 'saga-waiting-light')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel and undo' }).click()
  await page.getByText('its steps are being undone.').waitFor()
  await dashboard.call('/api/v1/outboxes/sagas.events/resume', { method: 'POST' })
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
})

/** Orders that wait for an answer, since no event is sent until the test is over. */
async function placeWaiting(count: number): Promise<string[]> {
  await dashboard.call('/api/v1/outboxes/sagas.events/pause', { body: {} })
  onTestFinished(async () => {
    await dashboard.call('/api/v1/outboxes/sagas.events/resume', { method: 'POST' })
  })
  const placed = await Promise.all(Array.from({ length: count }, () => placeOrder()))
  for (const { sagaId } of placed) {
    await expect.poll(async () => (await sagaOf(sagaId)).step, patient).toBe('reserved')
  }
  return placed.map(({ sagaId }) => sagaId)
}

/** Opens the dialog of a button, gives a reason and confirms. */
async function intervene(page: Page, button: string, verb: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  const dialog = page.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: verb, exact: true })
  await confirm.click()
  // Without a reason nothing is done.
  await dialog.locator('input:invalid').waitFor()
  await dialog.getByLabel('Reason').fill('T-481')
  await confirm.click()
  await dialog.waitFor({ state: 'detached' })
}

test('an operator skips a step, with a reason', async () => {
  const [id = ''] = await placeWaiting(1)
  const page = await dashboard.open(`/sagas/${id}`)
  await page.getByRole('heading', { name: 'Intervene' }).waitFor()
  await axe(page)
  await page.getByRole('button', { name: 'Skip reserved' }).click()
  const skipping = page.getByRole('dialog')
  await skipping.getByLabel('Reason').fill('T-481')
  await skipping.getByLabel('Data of the step').fill('["shelf 4"]')
  await skipping.getByRole('button', { name: 'Skip', exact: true }).click()
  await skipping.getByText('must be a JSON object').waitFor()
  await skipping.getByLabel('Data of the step').fill('{"shelf": 4}')
  await axe(page)
  await screenshot(page, 'saga-skip-light')
  await skipping.getByRole('button', { name: 'Skip', exact: true }).click()
  await page.getByText('reserved skipped.').waitFor()
  await page.getByText('skipped reserved: T-481').waitFor(patient)
  await stepOf(page, 'reserved').getByText('skipped').waitFor()
  expect((await sagaOf(id)).steps[1]).toMatchObject({ output: { shelf: 4 } })
  await page.getByText('Waiting at paid').waitFor(patient)
  await screenshot(page, 'saga-intervene-light')
})

test('an operator ends a saga, and it offers nothing more', async () => {
  const [id = ''] = await placeWaiting(1)
  const page = await dashboard.open(`/sagas/${id}`, { theme: 'dark' })
  await intervene(page, 'Terminate', 'Terminate')
  await page.getByText('Ended by an operator where it was').waitFor(patient)
  expect(await page.getByRole('heading', { name: 'Intervene' }).count()).toBe(0)
  await axe(page)
  await screenshot(page, 'saga-terminated-dark')
})

test('a member sees the saga, and no way to act on it', async () => {
  const [id = ''] = await placeWaiting(1)
  const page = await dashboard.open(`/sagas/${id}`, { role: 'member' })
  await page.getByText('Waiting at reserved').waitFor()
  expect(await page.getByRole('heading', { name: 'Intervene' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
})

test('what is stuck says so, and is resumed or skipped', async () => {
  const gateway = (fault: object) => dashboard.call('/sim/gateway/faults', { body: fault })
  await gateway({ mode: 'error', status: 503, effect: true })
  onTestFinished(() => gateway({ mode: 'ok' }).then(() => undefined))
  const { id, sagaId } = await placeOrder()
  // Charged, though the gateway does not say so: from here on there is something to give back.
  const isCharged = async () => {
    const { charges } = (await dashboard.call('/sim/gateway/ledger')) as {
      charges: { idempotencyKey: string }[]
    }
    return charges.some(({ idempotencyKey }) => idempotencyKey.endsWith(id))
  }
  await expect.poll(isCharged, patient).toBe(true)
  await dashboard.call(`/api/v1/sagas/${sagaId}/cancel`, { method: 'POST' })
  // A refund is tried for an hour of the business clock.
  const later = async () => {
    await dashboard.call('/sim/clock/advance', { body: { by: '5m' } })
    return (await sagaOf(sagaId)).status
  }
  await expect.poll(later, { timeout: 60_000, interval: 200 }).toBe('FAILED')
  const page = await dashboard.open(`/sagas/${sagaId}`)
  await page.getByText('Stuck: fix the cause').waitFor()
  await stepOf(page, 'pay').getByText('being undone, 20 attempts').waitFor()
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await axe(page)
  await screenshot(page, 'saga-stuck-light')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Skip undoing pay' }).click()
  await page.getByText('The step pay stays as it is, and the steps before it are undone.').waitFor()
  await axe(page)
  await screenshot(page, 'saga-skip-phone')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Intervene' }).scrollIntoViewIfNeeded()
  await screenshot(page, 'saga-intervene-phone')
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
  await gateway({ mode: 'ok' })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Saga resumed.').waitFor()
  await page.getByText('Did not complete; its steps are undone').waitFor(patient)
})

/** Sagas that no server of the test has a definition of: they stay where an operator puts them. */
async function insertTrips(
  trips: readonly { status: string; resumes: string | null; position: number }[],
) {
  const { rows } = await dashboard.database.pool.query<{ id: string }>(
    `insert into sagas.saga (id, name, version, step_names, tenant, input, status, resumes_as,
                             position, finished_at)
     select gen_random_uuid(), 'tour', 1, '{flight,hotel}', 'tours', '{}', t.status, t.resumes,
            t.position, case when t.status = 'FAILED' then now() end
       from jsonb_to_recordset($1::jsonb) as t (status text, resumes text, position int)
     returning id`,
    [JSON.stringify(trips)],
  )
  await dashboard.database.pool.query(
    `insert into sagas.saga_step (saga_id, position, name, status)
     select s.id, 0, 'flight', 'COMPLETED' from sagas.saga as s where s.name = 'tour'
      union all
     select s.id, 1, 'hotel', case when s.resumes_as = 'COMPENSATING' then 'UNDOING' else 'FAILED' end
       from sagas.saga as s where s.name = 'tour' and s.position = 1`,
  )
  return rows.map(({ id }) => id)
}

test('many sagas are resumed, cancelled and skipped at once, each as far as it can be', async () => {
  const stuck = { status: 'FAILED', resumes: 'COMPENSATING', position: 1 }
  await insertTrips([stuck, stuck, { ...stuck, position: 0 }])
  const org = 'tours'
  const page = await dashboard.open('/sagas?list=sagas', { org })
  await page.getByLabel('Select all rows shown').check()
  await page.getByRole('button', { name: 'Cancel selected', disabled: true }).waitFor()
  await page.getByRole('button', { name: 'Skip undoing 3 selected' }).click()
  const dialog = page.getByRole('dialog', { name: 'Skip undoing 3 sagas?' })
  await dialog.getByText(/hotel of 2/).waitFor()
  await dialog.getByText(/flight of 1/).waitFor()
  await dialog.getByRole('button', { name: 'Skip undoing 3' }).click()
  // Without a reason nothing is done.
  await dialog.locator('input:invalid').waitFor()
  await axe(page)
  await screenshot(page, 'sagas-bulk-light')
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Resume 3 selected' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume 3' }).click()
  await page.getByText('3 sagas resumed.').waitFor()
  const states = async () => {
    const { items } = (await dashboard.call('/api/v1/sagas', { org })) as {
      items: { status: string; step: string | null; direction: string }[]
    }
    return items.map(({ status, direction }) => `${status} ${direction}`)
  }
  expect(await states()).toEqual(Array.from({ length: 3 }, () => 'COMPENSATING back'))
  const member = await dashboard.open('/sagas?list=sagas', { org, role: 'member' })
  await member.getByRole('gridcell', { name: 'tour' }).first().waitFor()
  expect(await member.getByRole('checkbox').count()).toBe(0)
})

test('waiting orders are cancelled at once', async () => {
  const ids = await placeWaiting(2)
  const page = await dashboard.open('/sagas?list=sagas&status=RUNNING')
  for (const id of ids) await page.getByLabel(`Select ${id}`).check()
  await page.getByRole('button', { name: 'Resume selected', disabled: true }).waitFor()
  await page.getByRole('button', { name: 'Cancel 2 selected' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('wrong price')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 2' }).click()
  await page.getByText('2 sagas cancelled, their steps are undone.').waitFor()
})

test('a saga of another organisation is not found', async () => {
  const { sagaId } = await placeOrder()
  const page = await dashboard.open(`/sagas/${sagaId}`, {
    ...{ org: 'other', role: 'member', allowed: [/404/] },
  })
  await page.getByText('NOT_FOUND').waitFor()
})

test('fits a phone', async () => {
  const { sagaId } = await placeOrder({ amount: 1_902 })
  await untilState(sagaId, 'COMPENSATED')
  const page = await dashboard.open('/sagas', { size: { width: 390, height: 844 } })
  await page.getByRole('gridcell', { name: '2 × LAMP' }).first().waitFor()
  await screenshot(page, 'orders-phone')
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
  await page.goto(`${dashboard.url}/sagas/${sagaId}`)
  await stepOf(page, 'reserve').getByText('undone').waitFor()
  await axe(page)
  await screenshot(page, 'saga-phone')
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
})

test('steps side by side, one left out and one that waits for a signal, with their times', async () => {
  // A saga that the server has no definition of: as an orchestrator leaves it when it waits.
  const { rows } = await dashboard.database.pool.query<{ id: string }>(`
    with saga as (
      insert into sagas.saga (id, name, version, step_names, forks, tenant, input, position, turn,
                              asleep, waits_for, due_at, deadline_at)
      values (gen_random_uuid(), 'trip', 2, '{plan,flight,hotel,car,approved,tickets}',
              '[{"at": 1, "branches": [{"name": "air", "steps": 1}, {"name": "ground", "steps": 3}]}]',
              'demo', '{}', 1, 2, true, '{signal:approved}', posthorn.now() + interval '7 days',
              posthorn.now() + interval '14 days')
      returning id
    ), step as (
      insert into sagas.saga_step (saga_id, position, name, status, attempts, started_at, ended_at, due_at)
      select id, s.position, s.name, s.status, 1, now() - s.began * interval '1 s',
             now() - s.ended * interval '1 s',
             case when s.status = 'WAITING' then posthorn.now() + interval '7 days' end
        from saga,
             (values (0, 'plan', 'COMPLETED', 9.0, 7.5), (1, 'flight', 'COMPLETED', 7.5, 4.0),
                     (2, 'hotel', 'COMPLETED', 7.5, 6.0), (3, 'car', 'SKIPPED', null, 6.0),
                     (4, 'approved', 'WAITING', 6.0, null)) as s (position, name, status, began, ended)
    )
    select id from saga`)
  const id = rows[0]?.id ?? ''

  const page = await dashboard.open(`/sagas/${id}`)
  await page.getByText('Waiting at approved for the signal approved.').waitFor(patient)
  await stepOf(page, 'flight').getByText('branch air').waitFor()
  await stepOf(page, 'car').getByText('not needed').waitFor()
  await stepOf(page, 'approved').getByText('due in 6 d').waitFor()
  await stepOf(page, 'tickets').getByText('not started').waitFor()
  await page.getByText('Must end by').waitFor()
  // Branches stand below each other, from the same column on.
  const placeOf = async (name: string) => {
    const box = await stepOf(page, name).boundingBox()
    return { x: box?.x ?? -1, y: box?.y ?? -1 }
  }
  const [flight, hotel] = [await placeOf('flight'), await placeOf('hotel')]
  expect(flight.x).toBe(hotel.x)
  expect(flight.y).toBeLessThan(hotel.y)
  const times = page.getByRole('grid', { name: 'Times' })
  for (const name of ['plan', 'flight', 'hotel', 'approved']) {
    await times.getByRole('gridcell', { name, exact: true }).waitFor()
  }
  await axe(page)
  await screenshot(page, 'saga-branches-light')
})

test('a held order is released from its page', async () => {
  const { sagaId } = (await dashboard.call('/api/v1/orders', {
    body: { items: [{ sku: 'LAMP', quantity: 1 }], amount: 2_500, currency: 'EUR', hold: true },
  })) as Placed
  const page = await dashboard.open(`/sagas/${sagaId}`)
  await page.getByRole('button', { name: 'Send release' }).click(patient)
  await page.getByRole('dialog').getByRole('button', { name: 'Send release' }).click()
  await page.getByText('Signal sent.').waitFor()
  await page.getByText('All steps done.').waitFor(patient)
  await page.getByText('Received the signal').waitFor()
})

test('a link whose id is cut off says so, and offers nothing that cannot help', async () => {
  const page = await dashboard.open('/sagas/0198-cut', { allowed: [/400/] })
  const alert = page.getByRole('alert')
  await alert.getByText('The link may be incomplete or mistyped.').waitFor()
  expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

test('a viewer is told why the button does nothing', async () => {
  const page = await dashboard.open('/sagas', { role: 'viewer' })
  const button = page.getByRole('button', { name: 'Place an order', disabled: true }).first()
  await button.waitFor()
  await expect
    .poll(async () => button.getAttribute('aria-description'))
    .toMatch(/^Your role, viewer/)
})

import { expect, test } from 'vitest'
import { EXAMPLE } from './example/index.ts'
import { axe, openDashboard, screenshot } from './harness/index.ts'

const dashboard = await openDashboard({ systems: EXAMPLE })
const patient = { timeout: 30_000 }

/** An hour as relays would have written it down, with an outage in its middle. */
await dashboard.database.pool.query(`
  insert into posthorn.pulse (outbox, relay, at, delivered, failed, dead, latency, codes, answered, unanswered)
  select outbox, 'past', date_trunc('minute', now()) - n * interval '1 minute',
         case when n between 20 and 30 then 40 else 300 + 100 * sin(n / 5.0) end::bigint,
         case when n between 20 and 30 then 160 else 0 end, case when n between 20 and 30 then 5 else 0 end,
         jsonb_build_object('7', 200, '9', 80, case when n between 20 and 30 then '26' else '13' end, 20),
         case when n between 20 and 30 then jsonb_build_object('HTTP_503', 140, 'ATTEMPT_TIMEOUT', 25) end,
         jsonb_build_object('carrier:north', 200, 'carrier:south', case when n between 20 and 30 then 40 else 180 end),
         case when n between 20 and 30 then jsonb_build_object('carrier:south', 160) end
    from generate_series(0, 59) as n, unnest(array['post.parcels', 'example.greetings']) as outbox`)
await dashboard.database.pool.query(`
  insert into posthorn.sample (outbox, at, waiting, due, oldest_due_seconds, oldest_undelivered_seconds)
  select 'post.parcels', date_trunc('minute', now()) - n * interval '1 minute', 10, 5, 0,
         case when n between 20 and 30 then (31 - n) * 50 else 2 end
    from generate_series(0, 59) as n
  on conflict do nothing`)

test('plots show the past with axes, by mouse, by keys and as a table', async () => {
  const page = await dashboard.open('/overview', { size: { width: 1_440, height: 1_000 } })
  const latency = page.getByRole('slider', { name: /^Delivery latency/ })
  await latency.waitFor(patient)
  await expect.poll(() => latency.getAttribute('aria-label'), patient).toMatch(/p99: .* at most/)
  await page.getByRole('slider', { name: /^Failures by code\..*HTTP_503/ }).waitFor()
  await page.getByRole('slider', { name: /^Throughput\..*post\.parcels/ }).waitFor()
  await page.getByRole('slider', { name: /^Oldest pending message\..*9 min/ }).waitFor()
  // By keys: along the time, into it and out of it.
  await latency.focus()
  const at = async () => Number(await latency.getAttribute('aria-valuenow'))
  await page.keyboard.press('Home')
  await expect.poll(at).toBe(0)
  await page.keyboard.press('ArrowRight')
  await expect.poll(at).toBe(1)
  expect(await latency.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d, p50 .* ms/)
  await page.keyboard.press('+')
  const reset = page.getByRole('button', { name: 'Reset zoom' })
  await reset.first().waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => reset.count()).toBe(0)
  // By mouse: a drag zooms every plot of the page, a click goes to the messages.
  const box = await latency.boundingBox()
  if (!box) throw new Error('the plot is not shown')
  await page.mouse.move(box.x + box.width * 0.4, box.y + 80)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.7, box.y + 80, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => reset.count()).toBe(4)
  await reset.first().click()
  await page.getByRole('button', { name: 'Failures by code as a table' }).click()
  const table = page.getByRole('grid', { name: 'Failures by code' })
  await table.locator('[data-index="0"]').press('PageDown')
  await table.locator('[data-index="15"]').press('PageDown')
  await table.getByRole('gridcell', { name: '280/min', exact: true }).first().waitFor()
  await axe(page)
  await page.mouse.click(box.x + box.width * 0.5, box.y + 80)
  await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
  expect(page.url()).toMatch(/since=.*until=/)
})

test('a heat map says which destination failed when, and the time shown is in the address', async () => {
  const page = await dashboard.open('/outboxes/post.parcels?range=24h', { theme: 'dark' })
  await page.getByText('Destinations by outcome').waitFor(patient)
  await page.getByText('1 h', { exact: true }).click()
  await expect.poll(() => page.url()).toContain('range=1h')
  const cell = page.getByRole('button', { name: /^carrier:south at .*: 40 answered, 160 failed/ })
  await cell.first().hover()
  await page
    .getByRole('status')
    .getByText(/160 failed/)
    .waitFor()
  await axe(page)
  await screenshot(page, 'charts-dark')
})

test.each([390, 1_024, 1_440])('plots fit a page of %i px', async (width) => {
  const page = await dashboard.open('/overview', { size: { width, height: 900 } })
  await page.getByRole('slider', { name: /^Throughput/ }).waitFor(patient)
  const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
  await expect.poll(fits).toBe(true)
  await screenshot(page, `charts-${width}`)
})

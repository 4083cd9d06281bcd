import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { EXAMPLE } from './example/index.ts'
import { axe, openDashboard } from './harness/index.ts'

const dashboard = await openDashboard({ systems: EXAMPLE })
const { pool } = dashboard.database
const patient = { timeout: 60_000 }

/** The value of a tile. */
const tile = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.getByText(label, { exact: true }) })

async function greet(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await dashboard.call('/api/v1/greetings', { body: { name: `Ada ${i}` } })
  }
}

/** Stops the outbox, so that its rows stay as a test has them. */
async function pauseGreetings(): Promise<void> {
  await dashboard.call('/api/v1/outboxes/example.greetings/pause', { method: 'POST' })
}

test('in an outage all attempts fail, and the oldest message ages though none is due', async () => {
  await pauseGreetings()
  await greet(3)
  await pool.query(`
    update example.greeting
       set attempts = 2, error = 'connection refused', due_at = posthorn.now() + interval '1 hour',
           created_at = now() - interval '20 minutes'`)
  await pool.query(`
    insert into posthorn.pulse (outbox, relay, at, delivered, failed)
    select 'example.greetings', 'r', date_trunc('minute', now()) - n * interval '1 minute', 0, 600
      from generate_series(0, 1) as n`)
  const page = await dashboard.open('/overview')
  await expect.poll(() => tile(page, 'Failing').textContent(), patient).toContain('100%')
  await expect.poll(() => tile(page, 'Oldest pending').textContent(), patient).toMatch(/2\d min/)
  expect(await tile(page, 'Due').textContent()).toMatch(/^Due0/)
  expect(await tile(page, 'Retrying').textContent()).toMatch(/^Retrying3/)
  await page.goto(`${dashboard.url}/outboxes/example.greetings`)
  await expect.poll(() => tile(page, 'Retrying').textContent(), patient).toMatch(/^Retrying3/)
  await pool.query('truncate example.greeting')
  await pool.query("delete from posthorn.pulse where relay = 'r'")
})

test('messages that a worker killed need attention, since when; replayed ones do not', async () => {
  await pauseGreetings()
  await greet(5)
  await pool.query("update example.greeting set status = 'dead', attempts = 5")
  const page = await dashboard.open('/overview')
  const line = page.getByRole('listitem').filter({ hasText: 'example.greetings: 5 dead' })
  await line.getByText(/For \d/).waitFor(patient)
  await expect.poll(() => tile(page, 'Dead').textContent(), patient).toContain('5')
  await dashboard.call('/api/v1/outboxes/example.greetings/replay', { body: {} })
  await dashboard.call('/api/v1/outboxes/example.greetings/resume', { method: 'POST' })
  await line.waitFor({ state: 'detached', ...patient })
  await expect.poll(() => tile(page, 'Dead').textContent(), patient).toMatch(/Dead0/)
})

test('rows stay where they are, those that came are offered, and windows ask once a second', async () => {
  await greet(2)
  const page = await dashboard.open('/messages?outbox=example.greetings')
  const table = page.getByRole('grid', { name: 'Messages' })
  await table
    .getByRole('row', { name: / sent example/ })
    .nth(1)
    .waitFor(patient)
  // Its id: how long ago it was made changes.
  const topId = async () =>
    /…\w+/.exec((await table.getByRole('row').nth(1).textContent()) ?? '')?.[0]
  const first = await topId()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const began = performance.now()
  for (let i = 0; i < 8; i += 1) await greet(5)
  await page.getByRole('button', { name: '40 new' }).waitFor(patient)
  const seconds = (performance.now() - began) / 1_000
  expect(await topId()).toBe(first)
  // One at once, and from then on as the time allows.
  expect(asked.length).toBeLessThanOrEqual(seconds + 2)
  await axe(page, ['color-contrast'])
  await page.getByRole('button', { name: '40 new' }).click()
  await page.getByRole('button', { name: '40 new' }).waitFor({ state: 'detached', ...patient })
  await expect.poll(topId, patient).not.toBe(first)
})

test('a minute that is not over is drawn as none, and said to go on', async () => {
  const page = await dashboard.open('/outboxes')
  const line = page.getByRole('img', { name: 'Delivered by post.parcels in the last hour' })
  /** How far the line's last point is below its highest, of a steady stream in its first seconds. */
  const drop = async () => {
    // The relay's own deliveries would make one of the minutes higher than the last.
    await pool.query("delete from posthorn.pulse where outbox = 'post.parcels'")
    await pool.query(`
      insert into posthorn.pulse (outbox, relay, at, delivered)
      select 'post.parcels', 'steady', date_trunc('minute', now()) - n * interval '1 minute',
             case n when 0 then 1 else 600 end
        from generate_series(0, 5) as n`)
    await page.reload()
    await line.waitFor(patient)
    const points = (await line.locator('polyline').getAttribute('points')) ?? ''
    const heights = points.split(' ').map((point) => Number(point.split(',')[1]))
    return (heights.at(-1) ?? 0) - Math.min(...heights)
  }
  // More than once if the minute ends meanwhile.
  await expect.poll(drop, { ...patient, interval: 1_000 }).toBe(0)
  await page.goto(`${dashboard.url}/overview`)
  const plot = page.getByRole('slider', { name: /^Throughput/ })
  const last = async () => {
    // Where the minute ends meanwhile, the end is another.
    await plot.press('End')
    return plot.getAttribute('aria-valuetext')
  }
  await expect.poll(last, patient).toMatch(/^\d\d:\d\d, not over yet/)
})

test('the slowest relay comes first, with the figures of its heartbeat', async () => {
  const paces = [
    ['quick', { 'post.parcels': { settled: 120, inFlight: 3, claimMs: 4, settleMs: 6 } }, 2],
    [
      'slow to settle',
      {
        'post.parcels': { settled: 7, inFlight: 30, claimMs: 5, settleMs: 2_400 },
        'example.greetings': { settled: 5, inFlight: 1, claimMs: 9, settleMs: 8 },
      },
      3,
    ],
    ['blocked', { 'post.parcels': { settled: 40, inFlight: 0 } }, 900],
  ] as const
  for (const [relay, pace, lag] of paces) {
    // Heard of, but without a lease: it takes no bucket from the relay that runs.
    await pool.query(
      `insert into posthorn.session (relay, outboxes, seen_at, until, pace, lag_ms)
       values ($1, '{post.parcels,example.greetings}', now() + interval '1 hour', null, $2, $3)`,
      [relay, pace, lag],
    )
  }
  const page = await dashboard.open('/outboxes/relays')
  const row = (n: number) => page.getByRole('grid', { name: 'Relays' }).getByRole('row').nth(n)
  await row(3).waitFor(patient)
  const { rows } = await pool.query<{ relay: string; settled: number; in_flight: number }>(`
    select relay, sum((pace ->> 'settled')::int)::int as settled,
           sum((pace ->> 'inFlight')::int)::int as in_flight
      from posthorn.relay where seen_at > now() + interval '1 minute'
     group by relay order by max(greatest((pace ->> 'settleMs')::float8, lag_ms)) desc`)
  expect(rows.map(({ relay }) => relay)).toEqual(['slow to settle', 'blocked', 'quick'])
  for (const [index, { relay, settled, in_flight: inFlight }] of rows.slice(0, 2).entries()) {
    const cells = await row(index + 1)
      .getByRole('gridcell')
      .allTextContents()
    expect(cells[0]).toContain(relay)
    expect(cells.slice(2, 4)).toEqual([String(settled), String(inFlight)])
  }
  expect(await row(1).textContent()).toContain('2.4 s')
  expect(await row(2).textContent()).toContain('900 ms')
  await page.goto(`${dashboard.url}/outboxes/example.greetings`)
  await row(3).waitFor(patient)
  const own = await page
    .getByRole('row')
    .filter({ hasText: 'slow to settle' })
    .getByRole('gridcell')
    .allTextContents()
  expect(own.slice(2, 4)).toEqual(['5', '1'])
  await pool.query("delete from posthorn.session where seen_at > now() + interval '1 minute'")
})

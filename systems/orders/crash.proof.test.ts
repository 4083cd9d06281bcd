import type { Outbox } from '@posthorn/engine'
import { killAtPoint, killPoints, viewTable } from '@posthorn/engine/testing'
import { sagaTurns } from '@posthorn/saga'
import { afterAll, expect, test } from 'vitest'
import { orderEvents } from './outbox.ts'
import { expectStockAddsUp, orderDatabase, runOrders } from './testing/running.ts'
import { ROLES, type Role, startRole } from './testing/role.ts'

const db = await orderDatabase()
const running = await runOrders(db)
const ada = await running.as({ role: 'operator' })
const gatewayUrl = `${running.url}/sim/gateway`
const program = new URL('./testing/crash-process.ts', import.meta.url)
const wait = { timeout: 60_000, interval: 30 }

const started = new Map<Role, () => Promise<void>>()
afterAll(() => Promise.all([...started.keys()].map(stop)))

async function start(role: Role): Promise<void> {
  if (started.has(role)) return
  const options = { databaseUrl: db.url, gatewayUrl, reach: async () => undefined }
  started.set(role, await startRole(role, options))
}

async function stop(role: Role): Promise<void> {
  await started.get(role)?.()
  started.delete(role)
}

/** Runs a role in a process of its own until it stands at the point, and kills it there. */
function killAt(role: Role, point: string): Promise<void> {
  const env = { DATABASE_URL: db.url, GATEWAY: gatewayUrl, ROLE: role }
  return killAtPoint(program, point, { env, timeoutMs: 20_000 })
}

/** As if those who were killed had been gone for long. */
async function expireClaims(): Promise<void> {
  await viewTable(db.pool, sagaTurns as unknown as Outbox).expireLeases()
  await viewTable(db.pool, orderEvents('topics', 'orders') as unknown as Outbox).expireLeases()
}

/** How an order ends, and what the gateway has of it then. */
const ENDS = {
  completed: { amount: 4_200, status: 'COMPLETED', charges: ['succeeded'], refunds: 0 },
  declined: { amount: 4_202, status: 'COMPENSATED', charges: ['declined'], refunds: 0 },
  // The gateway charges and does not say so.
  unanswered: { amount: 4_208, status: 'COMPLETED', charges: ['succeeded'], refunds: 0 },
  // Cancelled when it has been paid.
  cancelled: { amount: 4_200, status: 'COMPENSATED', charges: ['succeeded'], refunds: 1 },
} as const
type End = keyof typeof ENDS

/** Every boundary at which a process may die. */
const CRASHES: readonly (readonly [Role, End, readonly string[]])[] = [
  ['relay', 'completed', ['claimed', 'delivered']],
  [
    'orchestrator',
    'completed',
    ['reserve', 'reserved', 'pay', 'paid', 'ship', 'shipped']
      .flatMap((step) => [`${step}: begun`, `${step}: done`])
      .concat('claimed', 'delivered'),
  ],
  [
    'orchestrator',
    'declined',
    ['paid: begun', 'paid: done', 'undo pay: done', 'undo reserve: done'],
  ],
  [
    'orchestrator',
    'cancelled',
    ['ship', 'pay', 'reserve']
      .flatMap((step) => [`undo ${step}: begun`, `undo ${step}: done`])
      .concat('refunded'),
  ],
  [
    'stock',
    'completed',
    ['stock.reserve: received', 'commit 1', 'committed 1', 'stock.reserve: handled'],
  ],
  [
    'payments',
    'completed',
    [
      'payment.take: received',
      // That it sets out, and what came of it.
      ...['commit 1', 'committed 1', 'charged', 'commit 2', 'committed 2'],
      'payment.take: handled',
    ],
  ],
  ['payments', 'declined', ['charged', 'commit 2', 'payment.take: handled']],
  ['payments', 'unanswered', ['charged', 'commit 2']],
  ['shipments', 'completed', ['shipment.book: received', 'commit 1', 'shipment.book: handled']],
  [
    'answers',
    'completed',
    ['stock.reserved: received', 'commit 1', 'committed 1', 'payment.taken: handled'],
  ],
  ['answers', 'declined', ['payment.refused: received', 'payment.refused: handled']],
]

/** Each role, each end, and on both sides of what cannot be undone. */
const SHORT = [
  'relay: delivered: completed',
  'orchestrator: reserve: done: completed',
  'orchestrator: delivered: completed',
  'orchestrator: paid: done: declined',
  'orchestrator: undo pay: done: cancelled',
  'stock: committed 1: completed',
  'payments: charged: completed',
  'payments: charged: unanswered',
  'payments: commit 2: declined',
  'shipments: commit 1: completed',
  'answers: committed 1: completed',
  'answers: payment.refused: handled: declined',
]
const all = CRASHES.flatMap(([role, end, points]) =>
  points.map((point) => [role, point, end] as const),
)
const cases = killPoints(all, { named: (each) => each.join(': '), short: SHORT })

test.each(cases)('the %s is killed at "%s", and the order ends %s', async (role, point, end) => {
  const { amount, status, charges, refunds } = ENDS[end]
  await stop(role)
  const isCancelled = end === 'cancelled'
  // A saga that waits for its shipment is one that has been paid.
  if (isCancelled) await stop('shipments')
  await Promise.all(
    ROLES.filter((each) => each !== role && !(isCancelled && each === 'shipments')).map(start),
  )

  const { id, sagaId } = await ada.order({ amount })
  if (isCancelled) {
    await start(role)
    const step = async () => String((await ada.get(`/sagas/${sagaId}`)).body.step)
    await expect.poll(step, wait).toBe('shipped')
    await stop(role)
    expect((await ada.post(`/sagas/${sagaId}/cancel`)).status).toBe(202)
  }
  await killAt(role, point)
  await expireClaims()
  await Promise.all(ROLES.map(start))

  await expect.poll(() => ada.status(id), wait).toBe(status)
  const ledger = await running.ledger(id)
  expect(ledger.charges.map((charge) => charge.status)).toEqual(charges)
  expect(ledger.refunds).toHaveLength(refunds)
  await expectStockAddsUp(db)
  expect(await rowsOf(id)).toEqual(ROWS[end])
})

/** What the participants keep of an order. */
async function rowsOf(id: string): Promise<(string | undefined)[]> {
  const found = ['stock_reservation', 'payment', 'shipment'].map(async (table) => {
    const { rows } = await db.pool.query<{ status: string }>(
      `select status from sagas.${table} where order_id = $1`,
      [id],
    )
    return rows[0]?.status
  })
  return Promise.all(found)
}

const ROWS: Record<End, (string | undefined)[]> = {
  completed: ['SHIPPED', 'CHARGED', 'BOOKED'],
  unanswered: ['SHIPPED', 'CHARGED', 'BOOKED'],
  declined: ['RELEASED', 'DECLINED', undefined],
  cancelled: ['RELEASED', 'REFUNDED', 'CANCELLED'],
}

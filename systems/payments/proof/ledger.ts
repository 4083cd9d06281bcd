import type { Queryable } from '@posthorn/engine'
import type { Line } from '../../crash/ledger.ts'
import type { World } from '../world.ts'
import {
  countUnexplainedPayments,
  countUnexplainedWebhooks,
  sumDeliveredWebhooks,
} from './audits/queries.ts'
import { selectDeliveries, selectPaymentSums, selectReferences } from './queries.ts'
import type { Witness } from './witness.ts'

export interface Charge {
  readonly id: string
  readonly reference: string
  readonly status: string
  readonly capturedAmount: number
}

export interface GatewayLedger {
  readonly charges: readonly Charge[]
  readonly refunds: readonly { readonly chargeId: string; readonly amount: number }[]
}

/** The gateway's own books against ours. */
export async function paymentLines(db: Queryable, world: World): Promise<Line[]> {
  const { charges, refunds } = await world.read<GatewayLedger>('/gateway/ledger')
  const { payments, orders } = await selectReferences(db)
  const ours = charges.filter(({ reference }) => payments.has(reference))
  const ids = new Set(ours.map(({ id }) => id))
  const perPayment = Map.groupBy(ours, ({ reference }) => reference)
  const sums = await selectPaymentSums(db)
  const taken = sumOf(ours.map(({ capturedAmount }) => capturedAmount))
  const given = sumOf(refunds.filter((r) => ids.has(r.chargeId)).map(({ amount }) => amount))
  const strangers = charges.filter((c) => !payments.has(c.reference) && !orders.has(c.reference))
  return [
    { name: 'payments', value: sums.payments, atLeast: 1 },
    { name: 'payments pending', value: sums.pending, must: 0 },
    { name: 'keys still open', value: sums.openKeys, must: 0 },
    {
      name: 'charged twice',
      value: [...perPayment.values()].filter((each) => each.length > 1).length,
      must: 0,
    },
    { name: 'charged without a payment', value: strangers.length, must: 0 },
    { name: 'taken, by our books', value: sums.taken, must: taken },
    { name: 'refunded, by our books', value: sums.refunded, must: given },
    {
      name: 'payments their audit does not explain',
      value: await countUnexplainedPayments(db),
      must: 0,
    },
  ]
}

/** Every delivery arrived, signed; those of an ordered endpoint in their order. */
export async function webhookLines(db: Queryable, witness: Witness): Promise<Line[]> {
  const deliveries = await selectDeliveries(db)
  const { webhooks } = witness
  const arrived = new Map(webhooks.filter(({ isTaken }) => isTaken).map((hook) => [hook.id, hook]))
  const known = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const delivered = deliveries.filter(({ status }) => status === 'delivered')
  const first = new Map<string, number>()
  for (const [at, { id, isTaken }] of webhooks.entries()) {
    if (isTaken && !first.has(id)) first.set(id, at)
  }
  const ordered = deliveries
    .filter(({ endpoint, key, id }) => endpoint.endsWith('/ordered') && key && first.has(id))
    .sort((a, b) => a.position - b.position)
  let backwards = 0
  const lastOf = new Map<string, number>()
  for (const { key, id } of ordered) {
    const at = first.get(id) ?? 0
    if (at < (lastOf.get(key ?? '') ?? -1)) backwards += 1
    lastOf.set(key ?? '', at)
  }
  return [
    { name: 'webhooks', value: deliveries.length, atLeast: 1 },
    { name: 'not delivered', value: deliveries.length - delivered.length, must: 0 },
    {
      name: 'delivered, and not at the merchant',
      value: delivered.filter(({ id }) => !arrived.has(id)).length,
      must: 0,
    },
    {
      name: 'at the merchant, and not ours',
      value: webhooks.filter(({ id }) => !known.has(id)).length,
      must: 0,
    },
    { name: 'wrongly signed', value: webhooks.filter((w) => !w.isVerified).length, must: 0 },
    { name: 'ordered, and out of order', value: backwards, must: 0 },
    {
      name: 'webhooks their audit does not explain',
      value: await countUnexplainedWebhooks(db),
      must: 0,
    },
    {
      name: 'delivered, by the counters of endpoints',
      value: await sumDeliveredWebhooks(db),
      must: delivered.length,
    },
    { name: 'webhooks more than once', value: webhooks.length - first.size },
  ]
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

import type { Line } from '../../../proof/kit/ledger.ts'
import { answerLines } from '../../../proof/kit/stand/answers.ts'
import type { Books } from '../../../proof/kit/stand/system-proof.ts'
import type { Seen } from '../../../proof/kit/stand/witness.ts'
import type { GatewayBooks } from '../../../proof/kit/stand/world.ts'
import {
  countUnexplainedPayments,
  countUnexplainedWebhooks,
  selectDeliveries,
  selectPaymentIds,
  selectPaymentSums,
  sumDeliveredWebhooks,
} from './queries.ts'

/** A webhook as the merchant saw it. */
interface SeenWebhook {
  readonly id: string
  /** False where a signature is wrong; what got no answer was not looked at. */
  readonly isVerified: boolean
  /** Whether the merchant has it, whatever it answered. */
  readonly isTaken: boolean
}

export function seenWebhook({ headers, verified = true, outcome, fault }: Seen): SeenWebhook {
  const isTaken = outcome === 'ok' || outcome === 'slow' || fault?.effect === true
  return { id: headers['webhook-id'] ?? '', isVerified: verified, isTaken }
}

/** Payments are named by their ids, orders otherwise. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const PAYMENTS_PATH = '/api/v1/payments'

/** One in twelve is declined by its amount; a gateway that fails may end some, never many. */
function countRefusals(answers: Books['answers']): Record<string, number> {
  const asked = answers.filter(({ path }) => path === PAYMENTS_PATH).length
  return { PAYMENT_DECLINED: Math.ceil(asked / 5) + 5, GATEWAY_ERROR: Math.ceil(asked / 10) + 5 }
}

/** The gateway's own books against ours. */
export async function paymentLines({ db, world, answers }: Books): Promise<Line[]> {
  const { charges, refunds } = await world.read<GatewayBooks>('/gateway/ledger')
  const payments = await selectPaymentIds(db)
  const ours = charges.filter(({ reference }) => payments.has(reference))
  const ids = new Set(ours.map(({ id }) => id))
  const perPayment = Map.groupBy(ours, ({ reference }) => reference)
  const sums = await selectPaymentSums(db)
  const taken = sumOf(ours.map(({ capturedAmount }) => capturedAmount))
  const given = sumOf(refunds.filter((r) => ids.has(r.chargeId)).map(({ amount }) => amount))
  const strangers = charges.filter((c) => UUID.test(c.reference) && !payments.has(c.reference))
  return [
    ...answerLines(answers, {
      ...{ name: 'payments', path: PAYMENTS_PATH, refusals: countRefusals(answers) },
      things: [...payments].map((id) => ({ id })),
    }),
    { name: 'payments', value: sums.payments, atLeast: 1 },
    { name: 'payments pending', value: sums.pending, must: 0 },
    { name: 'keys still open', value: sums.openKeys, must: 0 },
    {
      name: 'charged twice',
      value: [...perPayment.values()].filter((each) => each.length > 1).length,
      must: 0,
    },
    { name: 'charged without a payment', value: strangers.length, must: 0, notAfter: 'dump' },
    { name: 'taken, by our books', value: sums.taken, must: taken },
    { name: 'refunded, by our books', value: sums.refunded, must: given, notAfter: 'dump' },
    {
      name: 'payments their audit does not explain',
      value: await countUnexplainedPayments(db),
      must: 0,
    },
  ]
}

/** Every delivery arrived, signed; those of an ordered endpoint in their order. */
export async function webhookLines({ db, witness }: Books): Promise<Line[]> {
  const deliveries = await selectDeliveries(db)
  const webhooks = witness.notes<SeenWebhook>('merchant')
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
      notAfter: 'moment',
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

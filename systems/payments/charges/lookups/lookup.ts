import { transaction, type Log } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import type { FoundCharge, Gateway } from '../../../gateway/index.ts'
import { alertOverdue } from '../alerts.ts'
import { receiveEvent, type GatewayEvent } from '../inbound/event.ts'
import { claimOverdueCharges, type Overdue } from './queries.ts'

export interface LookupOptions {
  readonly pool: Pool
  readonly gateway: Pick<Gateway, 'find'>
  readonly log: Log
  /** Between looks that found nothing. */
  readonly everyMs: number
}

/** Asked about at the same time: the gateway has others to serve. */
const AT_ONCE = 10

/** Questions without an answer before an alert is raised: about a quarter of an hour. */
const ALERT_AFTER = 3

/** Asks the gateway about payments whose webhook does not come. */
export function lookups(options: LookupOptions): PeriodicTask {
  return {
    name: 'payments.lookups',
    everyMs: options.everyMs,
    async step() {
      return (await lookUpOverdue(options)) === AT_ONCE ? 'more' : undefined
    },
  }
}

/** One look: how many were asked about. */
export async function lookUpOverdue(options: LookupOptions): Promise<number> {
  const { pool, log } = options
  const overdue = await transaction(pool, (tx) => claimOverdueCharges(tx, AT_ONCE))
  await Promise.all(
    overdue.map((each) =>
      lookUp(options, each).catch((error: unknown) => {
        const { id: paymentId } = each.payment
        log.error({ err: error, paymentId }, 'asking about a payment failed; it is asked again')
      }),
    ),
  )
  return overdue.length
}

async function lookUp({ pool, gateway, log }: LookupOptions, overdue: Overdue): Promise<void> {
  const { gatewayKey: key, amount, payment, ref } = overdue
  const { id: reference, currency } = payment
  const found = await gateway.find({ key, amount, currency, reference, ref })
  const event = eventOf(overdue, found)
  const outcome = await transaction(pool, async (tx) => {
    if (event) {
      // As if its webhook had come: the same decision, audit, alerts and deliveries.
      const text = JSON.stringify(event)
      return receiveEvent(tx, { event, text, source: 'lookup' })
    }
    if (overdue.lookups >= ALERT_AFTER) {
      const { org_id: tenant } = payment
      await alertOverdue(tx, { subject: reference, tenant, detail: detailOf(overdue, found) })
    }
    return 'open'
  })
  log.info(
    { paymentId: reference, found: found.kind, outcome },
    'gateway asked about an overdue payment',
  )
}

/** What the gateway's webhook would have said; undefined if it cannot tell. */
function eventOf({ payment }: Overdue, found: FoundCharge): GatewayEvent | undefined {
  if (found.kind !== 'charged' && found.kind !== 'declined') return undefined
  const { id: paymentId, currency } = payment
  const amount = found.kind === 'charged' ? found.amount : Number(payment.amount)
  const status = found.kind === 'charged' ? 'succeeded' : 'failed'
  return {
    // One for each answer, in whichever process: asked again, it is known.
    id: `lookup_${paymentId}_${status}`,
    type: `payment.${status}`,
    createdAt: new Date().toISOString(),
    data: {
      ...{ paymentId, status, amount, currency },
      ...(found.ref !== undefined && { gatewayRef: found.ref }),
    },
  }
}

const SAID: Readonly<Record<string, string>> = {
  none: 'It knows nothing of the charge.',
  pending: 'It has not decided about the charge.',
}

function detailOf({ since, lookups: times }: Overdue, found: FoundCharge): string {
  const said = found.kind === 'unknown' ? found.error.message : SAID[found.kind]
  return `Pending since ${since.toISOString()}: no webhook came, and the gateway was asked ${times} times. ${said}`
}

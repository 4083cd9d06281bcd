import type { Transaction } from '@posthorn/engine'
import { raiseAlert } from '@posthorn/engine/operate'
import type { Payment } from './payment.ts'

/** Where alerts about what the gateway says come from. */
const SOURCE = 'payments.webhooks'

/**
 * Alerts that the gateway contradicts itself or us about money. The payment keeps the state that came
 * first; an operator compares both sides.
 */
export async function alertConflict(
  tx: Transaction,
  { id, org_id: tenant }: Pick<Payment, 'id' | 'org_id'>,
  detail: string,
): Promise<void> {
  const code = 'PAYMENT_STATE_CONFLICT'
  await raiseAlert(tx, { source: SOURCE, subject: id, tenant, code, detail })
}

/** Alerts that an event is about another amount, currency or reference than its payment. */
export async function alertMismatch(
  tx: Transaction,
  { id, org_id: tenant }: Pick<Payment, 'id' | 'org_id'>,
  detail: string,
): Promise<void> {
  const code = 'PAYMENT_EVENT_MISMATCH'
  await raiseAlert(tx, { source: SOURCE, subject: id, tenant, code, detail })
}

import type { Transaction } from '@posthorn/engine'
import { enqueueEvent } from '../../webhooks/index.ts'
import type { Payment } from '../payment.ts'

/** Tells the merchant what the gateway answered, where its webhook will say nothing new. */
export async function announce(
  tx: Transaction,
  payment: Payment,
  status: 'failed' | 'authorised' | 'voided',
): Promise<void> {
  const { id, org_id: org, amount, currency, gateway_ref: gatewayRef } = payment
  await enqueueEvent(tx, {
    ...{ org, id: `evt_${status}_${id}`, type: `payment.${status}`, key: id },
    data: { paymentId: id, gatewayRef, status, amount: Number(amount), currency },
  })
}

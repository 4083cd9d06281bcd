import type { Transaction } from '@posthorn/engine'
import type { Owner } from '../owner.ts'
import { explainTakenRefunds, hasMoneyOut, pairByRefund, pairByRefundedPayment } from './queries.ts'

/** Gives records in which money went out the refunds that they are about. */
export async function pairRefunds(tx: Transaction, owner: Owner): Promise<void> {
  if (!(await hasMoneyOut(tx))) return
  await pairByRefund(tx, owner)
  await pairByRefundedPayment(tx, owner)
  await explainTakenRefunds(tx, owner)
}

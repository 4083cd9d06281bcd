import type { Line } from '../../../proof/kit/ledger.ts'
import { answerLines } from '../../../proof/kit/stand/answers.ts'
import type { Books } from '../../../proof/kit/stand/system-proof.ts'
import type { GatewayBooks } from '../../../proof/kit/stand/world.ts'
import {
  countUnexplainedSagas,
  selectOrderIds,
  selectOrderKeys,
  selectOrderMoney,
  selectOrderSums,
} from './queries.ts'

/** Every order went through whole, or was undone whole. */
export async function orderLines({ db, world, answers }: Books): Promise<Line[]> {
  const sums = await selectOrderSums(db)
  const { charges, refunds } = await world.read<GatewayBooks>('/gateway/ledger')
  const orders = await selectOrderKeys(db)
  const ours = charges.filter(({ reference }) => orders.has(reference))
  const ids = new Set(ours.map(({ id }) => id))
  const perOrder = Map.groupBy(ours, ({ reference }) => reference)
  const taken = ours.reduce((sum, { capturedAmount }) => sum + capturedAmount, 0)
  const given = refunds
    .filter(({ chargeId }) => ids.has(chargeId))
    .reduce((sum, { amount }) => sum + amount, 0)
  const money = await selectOrderMoney(db)
  const things = (await selectOrderIds(db)).map((id) => ({ id }))
  return [
    ...answerLines(answers, { name: 'orders', path: '/api/v1/orders', things }),
    { name: 'orders', value: sums.orders, atLeast: 1 },
    { name: 'orders completed', value: sums.completed },
    { name: 'orders compensated', value: sums.compensated },
    { name: 'sagas without an end', value: sums.running + sums.failed, must: 0 },
    {
      name: 'sagas their steps do not explain',
      value: await countUnexplainedSagas(db),
      must: 0,
    },
    { name: 'orders half done', value: sums.torn, must: 0 },
    { name: 'orders complete, goods still reserved', value: sums.unshipped, must: 0 },
    { name: 'skus with a wrong count', value: sums.miscounted, must: 0 },
    { name: 'keys of orders still open', value: sums.openKeys, must: 0 },
    {
      name: 'orders charged twice',
      value: [...perOrder.values()].filter((each) => each.length > 1).length,
      must: 0,
    },
    {
      name: 'charged without an order',
      value: charges.filter((c) => c.reference.startsWith('order-') && !orders.has(c.reference))
        .length,
      must: 0,
      notAfter: 'dump',
    },
    { name: 'charged for orders, by our books', value: money.charged, must: taken },
    { name: 'given back for orders', value: money.refunded, must: given },
  ]
}

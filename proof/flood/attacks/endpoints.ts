import { Agent } from 'node:http'
import { exchange } from '../exchange.ts'
import { repeat, type Attack } from './attack.ts'

const CONNECTIONS = 20

/** As many endpoints as are taken, all of which stay silent, and payments that each of them is told of. */
export const endpoints: Attack = {
  name: 'endpoints',
  about: 'endpoints without an end, none of which answers, and payments to tell them of',
  // They have ten requests each under way until they are given up, which the settling does not await.
  leavesFiles: 400,
  async run({ url, tokens, silent, tally, over }) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    await repeat(CONNECTIONS, over, async (place, turn) => {
      const token = tokens[place % tokens.length] ?? ''
      const name = `flood-${process.pid}-${place}-${turn}`
      const isPayment = turn % 2 === 1
      const { outcome } = await exchange({
        ...{ agent, method: 'POST', token },
        url: new URL(isPayment ? '/api/v1/payments' : '/api/v1/webhook-endpoints', url),
        headers: { 'content-type': 'application/json', 'idempotency-key': name },
        body: JSON.stringify(
          isPayment
            ? { amount: 100, currency: 'EUR', externalPaymentId: name }
            : { url: `${silent}/${name}`, eventTypes: ['*'] },
        ),
      })
      tally.count(`${isPayment ? 'payment' : 'endpoint'} ${outcome}`)
    })
    agent.destroy()
  },
}

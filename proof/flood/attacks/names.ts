import { Agent } from 'node:http'
import { exchange } from '../exchange.ts'
import { repeat, type Attack } from './attack.ts'

const CONNECTIONS = 20

/** Endpoints whose names have no address at first, and no answer from then on. */
export const names: Attack = {
  name: 'names',
  about: 'endpoints whose name server says nothing once and stays silent, and payments to tell',
  // Requests to them wait for a name, not for a connection; what is left is the pool's.
  async run({ url, tokens, tally, over }) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    await repeat(CONNECTIONS, over, async (place, turn) => {
      const token = tokens[place % tokens.length] ?? ''
      const name = `n${process.pid}-${place}-${turn}`
      const isPayment = turn % 2 === 1
      const { outcome } = await exchange({
        ...{ agent, method: 'POST', token },
        url: new URL(isPayment ? '/api/v1/payments' : '/api/v1/webhook-endpoints', url),
        headers: { 'content-type': 'application/json', 'idempotency-key': name },
        body: JSON.stringify(
          isPayment
            ? { amount: 100, currency: 'EUR', externalPaymentId: name }
            : { url: `http://${name}.silent.example/`, eventTypes: ['*'] },
        ),
      })
      tally.count(`${isPayment ? 'payment' : 'endpoint'} ${outcome}`)
    })
    agent.destroy()
  },
}

import { Agent } from 'node:http'
import { exchange } from '../exchange.ts'
import { repeat, type Attack } from './attack.ts'

const CONNECTIONS = 500
const PATHS = [
  '/api/v1/payments?limit=200',
  '/api/v1/webhook-endpoints',
  '/api/v1/search?q=a',
  '/api/v1/audit/entries?limit=200',
]

/** Reads the longest lists and writes payments, over five hundred connections, without a pause. */
export const requests: Attack = {
  name: 'requests',
  about: `${CONNECTIONS} connections that read and write without a pause`,
  async run({ url, tokens, tally, over }) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    await repeat(CONNECTIONS, over, async (place, turn) => {
      const token = tokens[place % tokens.length] ?? ''
      const writes = place % 4 === 0
      const path = writes ? '/api/v1/payments' : (PATHS[(place + turn) % PATHS.length] ?? '/')
      const name = `flood-${process.pid}-${place}-${turn}`
      const { outcome } = await exchange({
        ...{ agent, method: writes ? 'POST' : 'GET', url: new URL(path, url), token },
        ...(writes && {
          headers: { 'content-type': 'application/json', 'idempotency-key': name },
          body: JSON.stringify({ amount: 100, currency: 'EUR', externalPaymentId: name }),
        }),
      })
      tally.count(outcome)
    })
    agent.destroy()
  },
}

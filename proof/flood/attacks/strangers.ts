import { Agent } from 'node:http'
import { exchange } from '../exchange.ts'
import { repeat, type Attack } from './attack.ts'

const CONNECTIONS = 200
const PATHS = ['/healthz', '/readyz', '/api/v1/payments', '/openapi.json', '/metrics', '/nothing']

/** Requests without a valid token, from the network that the probes come from too. */
export const strangers: Attack = {
  name: 'strangers',
  about: `${CONNECTIONS} connections without a valid token, probes among what they ask for`,
  async run({ url, tally, over }) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    await repeat(CONNECTIONS, over, async (place, turn) => {
      const path = PATHS[(place + turn) % PATHS.length] ?? '/'
      const { outcome } = await exchange({
        ...{ agent, method: 'GET', url: new URL(path, url), token: 'none.of.ours' },
      })
      tally.count(`${path} ${outcome}`)
    })
    agent.destroy()
  },
}

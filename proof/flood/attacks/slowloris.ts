import { networkAt, type Attack } from './attack.ts'
import { holdConnections } from './held.ts'

const CONNECTIONS = 3_000

/** Headers that never come to their end, from several networks. */
export const slowloris: Attack = {
  name: 'slowloris',
  about: `${CONNECTIONS} connections whose headers come one byte a second`,
  run: (context) =>
    holdConnections(context, {
      connections: CONNECTIONS,
      addressOf: networkAt,
      opening: () => 'GET /api/v1/payments HTTP/1.1\r\nhost: flood\r\nx-slow: ',
      drip: 'a',
    }),
}

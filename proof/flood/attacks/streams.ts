import { networkAt, type Attack } from './attack.ts'
import { holdConnections } from './held.ts'

const CONNECTIONS = 10_000

/** Ten thousand event streams, from several networks and by many users. */
export const streams: Attack = {
  name: 'streams',
  about: `${CONNECTIONS} connections that ask for event streams`,
  run: (context) =>
    holdConnections(context, {
      connections: CONNECTIONS,
      addressOf: networkAt,
      opening: (place) =>
        [
          'GET /api/v1/stream HTTP/1.1',
          'host: flood',
          `authorization: Bearer ${context.tokens[place % context.tokens.length]}`,
          '',
          '',
        ].join('\r\n'),
    }),
}

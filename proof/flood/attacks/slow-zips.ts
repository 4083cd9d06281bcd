import type { Attack } from './attack.ts'
import { holdConnections } from './held.ts'

const CONNECTIONS = 560

/** Archives that come one byte a second. */
export const slowZips: Attack = {
  name: 'slow-zips',
  about: `${CONNECTIONS} uploads of one byte a second`,
  run: (context) =>
    holdConnections(context, {
      connections: CONNECTIONS,
      addressOf: () => '127.0.0.2',
      opening: (place) =>
        [
          `POST /api/v1/file-jobs?filename=slow-${place}.zip HTTP/1.1`,
          'host: flood',
          `authorization: Bearer ${context.tokens[place % context.tokens.length]}`,
          'content-type: application/zip',
          'content-length: 1000000',
          '',
          'PK',
        ].join('\r\n'),
      drip: '.',
    }),
}

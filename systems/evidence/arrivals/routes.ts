import { createHash, timingSafeEqual } from 'node:crypto'
import type { Log } from '@posthorn/engine'
import { problem, type App } from '@posthorn/http'
import { Type } from 'typebox'
import { announceObject, findArrived, type ArrivalOptions } from './arrival.ts'
import { readNotification } from './notification.ts'

export interface EventRouteOptions extends ArrivalOptions {
  readonly log: Log
  /** Without one no sender can authenticate, and every event is refused. */
  readonly token: string | undefined
}

const events = {
  summary: 'Receive events of an S3 bucket: new objects under incoming/ become file jobs',
  tags: ['evidence'],
  body: Type.Object({}, { additionalProperties: true }),
  response: {
    200: Type.Object({
      /** Objects that have a new job. */
      received: Type.Integer(),
      /** Objects that had one already. */
      known: Type.Integer(),
      /** Anything else: test events, removals, folders, other places, objects that are gone. */
      ignored: Type.Integer(),
    }),
  },
}

export function eventRoutes(app: App, options: EventRouteOptions): void {
  const { log, token } = options
  app.post(
    '/api/v1/file-jobs/s3-events',
    {
      schema: events,
      // One sender for all merchants: a limit by network would hold their files up.
      config: { access: 'public', rateLimit: 'refusals' },
      // Before the body is read: who does not know the token cannot make us parse.
      onRequest: async ({ headers }) => {
        if (!isBearer(headers.authorization, token)) {
          throw problem('UNAUTHENTICATED', {
            detail: "Send the token of the bucket's events in the header Authorization: Bearer.",
          })
        }
      },
    },
    async (request) => {
      const { created, others } = readNotification(request.body)
      const count = { received: 0, known: 0, ignored: others }
      for (const event of created) {
        const object = await findArrived(options, event)
        if (!object) count.ignored += 1
        else if (await announceObject(options, object)) count.received += 1
        else count.known += 1
      }
      log.debug(count, 'bucket events received')
      return count
    },
  )
}

/** Compares digests, so that the time tells nothing about the token. */
function isBearer(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return false
  const given = /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1] ?? ''
  const digest = (word: string) => createHash('sha256').update(word).digest()
  return timingSafeEqual(digest(given), digest(token))
}

import { callerOf, invalid, withIdempotencyKey, type App } from '@posthorn/http'
import { signalSaga, type AnySaga, type SignalOutcome } from '@posthorn/saga'
import type { IdempotencyStore } from '@posthorn/engine/inbox'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../problems.ts'
import { findOwn } from './routes.ts'

/** What a signal brings is read by every orchestrator that takes the saga. */
const MOST_BYTES = 64 * 1024

const schema = {
  summary: 'Send a signal to a saga; one that comes before the saga waits for it is kept',
  tags: ['sagas'],
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200, description: 'of the signal' }),
      payload: Type.Optional(Type.Unknown({ description: 'what the step that waits reads' })),
    },
    { additionalProperties: false },
  ),
  response: {
    202: Type.Object({
      outcome: Type.Enum(['woke', 'kept', 'duplicate'], {
        description:
          'woke: the saga waited for it; kept: it waits for the saga; duplicate: it was sent before under this Idempotency-Key',
      }),
    }),
  },
}

export interface SignalRoutesOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  /** The definitions that say which signals there are. */
  readonly sagas: readonly AnySaga[]
}

/** Signals to sagas: what a definition waits for, and nothing that a participant answers. */
export function signalRoutes(app: App, { pool, keys, sagas }: SignalRoutesOptions): void {
  const options = { schema, config: { access: 'operate' }, bodyLimit: MOST_BYTES } as const
  app.post('/api/v1/sagas/:id/events', options, async (request, reply) => {
    const { id: sagaId } = request.params
    const { org } = callerOf(request)
    const key = request.headers['idempotency-key']
    const signal = { ...request.body, ...(typeof key === 'string' && { key }), sagaId, sagas }
    await withIdempotencyKey(reply, { pool, store: keys }, async (tx) => {
      await findOwn(tx, { id: sagaId, org })
      return { status: 202, body: { outcome: expectTaken(await signalSaga(tx, signal)) } }
    })
    return reply
  })
}

function expectTaken(sent: SignalOutcome): string {
  switch (sent.outcome) {
    case 'late':
      throw problem('SAGA_NOT_STEERABLE', { detail: `The saga is ${sent.was ?? 'gone'}.` })
    case 'refused':
      if (sent.failure.code === 'SAGA_SIGNAL_INVALID') {
        throw invalid([{ field: 'payload', reason: sent.failure.message }])
      }
      throw problem('SAGA_SIGNAL_REFUSED', { detail: sent.failure.message })
    case 'woke':
    case 'kept':
    case 'duplicate':
      return sent.outcome
  }
}

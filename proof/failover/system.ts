import { enqueue, schedule, transaction, type Message } from '@posthorn/engine'
import { onceAll } from '@posthorn/engine/inbox'
import { defineSystem, type SystemConsumer } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { noteArrivals, type Note } from '../kit/events/arrivals.ts'
import { inbox, type EventPayload } from '../kit/events/outbox.ts'
import { insertEntries, schemaOf, type Entry } from '../kit/events/queries.ts'
import { withConfigured } from '../kit/stand/configured.ts'
import { failoverOutboxes, rowEvents, transports } from './outbox.ts'
import { insertEffects } from './queries.ts'

/** Stores one message by way of the API. */
export const EVENTS_PATH = '/api/v1/failover/events'

const StoredEvent = Type.Object({ id: Type.String({ format: 'uuid' }), n: Type.Integer() })

/** A system whose messages are counted one by one at both ends. */
const failover = defineSystem({
  name: 'failover',
  settings: Type.Object({
    FAILOVER_FOLDER: Type.String({ description: 'where arrivals are written down' }),
    PROCESS_NAME: Type.String({ description: 'the name of this process' }),
  }),
  migrations: async () => ({
    name: 'failover',
    migrations: [{ id: '0001_events', sql: schemaOf(failoverOutboxes), checksum: '1' }],
  }),
  open({ pool, settings }) {
    const note = noteArrivals(settings.FAILOVER_FOLDER, settings.PROCESS_NAME)
    const consumers = failoverOutboxes.map(({ name }) =>
      eventConsumer(pool, note, { topic: name, transport: transports[name] ?? '' }),
    )
    return {
      outboxes: failoverOutboxes,
      consumers,
      queues: consumers.filter(({ transport }) => transport === 'rabbitmq'),
      routes(app) {
        const schema = { body: StoredEvent, response: { 202: StoredEvent } }
        app.post(EVENTS_PATH, { schema }, async ({ body }, reply) => {
          const entry = { id: body.id, key: 'api', n: body.n }
          await transaction(pool, async (tx) => {
            await insertEntries(tx, rowEvents.name, [entry])
            await enqueue(tx, rowEvents, { ...entry, n: String(entry.n) })
          })
          return reply.code(202).send(body)
        })
      },
    }
  },
})

/** For POSTHORN_CONFIG. */
export const systems = withConfigured(failover)

/** Handles what a poll brings in one transaction: commits that wait for a standby take their time. */
function eventConsumer(
  pool: Pool,
  note: Note,
  { topic, transport }: { topic: string; transport: string },
): SystemConsumer {
  /** What is tried again because the database was away has not arrived a second time. */
  const noted = new WeakSet<Message>()
  const handleAll = async (messages: readonly Message[]) => {
    for (const message of messages) {
      if (!noted.has(message)) note(topic, entryOf(message))
      noted.add(message)
    }
    await transaction(pool, (tx) =>
      onceAll(tx, { inbox, consumer: 'ledger', messages }, (same, first) =>
        insertEffects(same, topic, first.map(entryOf)),
      ),
    )
  }
  return {
    transport,
    topic,
    group: `${topic}.ledger`,
    // Past an end the order of a key would be gone.
    retry: schedule(['100ms', '200ms', '400ms', '1s'], { then: 'repeat-last' }),
    handle: (message) => handleAll([message]),
    batch: {
      size: 50,
      async handle(messages) {
        await handleAll(messages)
        return messages.map(() => 'done')
      },
    },
  }
}

function entryOf({ id, payload }: Message): Entry {
  const { key, n } = payload as EventPayload
  return { id, key, n }
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exponential, schedule, transaction, type Outbox } from '@posthorn/engine'
import { once } from '@posthorn/engine/inbox'
import { defineSystem, type SystemConsumer } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { noteArrivals, type Note } from '../kit/events/arrivals.ts'
import { inbox, type EventPayload, type EventRow } from '../kit/events/outbox.ts'
import { insertEffect, schemaOf } from '../kit/events/queries.ts'
import { withConfigured } from '../kit/stand/configured.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'
import { chaosOutboxes, INDIGESTIBLE, transports } from './events/outbox.ts'

/** While a file of this name is in the folder of the run, consumers take their time. */
export const SLOW_FILE = 'slow-consumers'
const SLOW_MS = 300

/** A system with short leases, whose messages are counted one by one at both ends. */
const chaos = defineSystem({
  name: 'chaos',
  settings: Type.Object({
    CHAOS_FOLDER: Type.String({ description: 'where arrivals are written down' }),
    PROCESS_NAME: Type.String({ description: 'the name of this process' }),
  }),
  migrations: async () => ({
    name: 'chaos',
    migrations: [{ id: '0001_events', sql: schemaOf(chaosOutboxes), checksum: '1' }],
  }),
  open({ pool, settings }) {
    const folder = settings.CHAOS_FOLDER
    const note = noteArrivals(folder, settings.PROCESS_NAME)
    const consumers = [
      ...chaosOutboxes.map((outbox) => eventConsumer({ pool, folder, note, outbox })),
      ...systemProofs.flatMap((proof) => proof.consumers?.(note) ?? []),
    ]
    return {
      outboxes: chaosOutboxes,
      consumers,
      queues: consumers.filter(({ transport }) => transport === 'rabbitmq'),
    }
  },
})

/** For POSTHORN_CONFIG. */
export const systems = withConfigured(chaos)

interface ConsumerOptions {
  readonly pool: Pool
  readonly folder: string
  readonly note: Note
  readonly outbox: Outbox<EventRow>
}

function eventConsumer({ pool, folder, note, outbox }: ConsumerOptions): SystemConsumer {
  const { name: topic, order } = outbox
  /** A delivery that is tried again because the database was away has not arrived a second time. */
  const noted = new WeakSet<object>()
  return {
    transport: transports[topic] ?? '',
    topic,
    group: `${topic}.ledger`,
    // Past an end the order of a key would be gone.
    retry: order
      ? schedule(['100ms', '200ms', '400ms', '1s'], { then: 'repeat-last' })
      : exponential('200ms', { attempts: 6 }),
    async handle({ id, payload }, { ref }) {
      const { key, n } = payload as EventPayload
      if (!noted.has(ref)) note(topic, { id, key, n })
      noted.add(ref)
      if (key.startsWith(INDIGESTIBLE)) throw new Error('cannot be handled, ever')
      if (existsSync(join(folder, SLOW_FILE))) await sleep(SLOW_MS)
      const receipt = { inbox, consumer: 'ledger', id }
      await transaction(pool, (tx) =>
        once(tx, receipt, () => insertEffect(tx, topic, { id, key, n })),
      )
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import {
  createRelay,
  delivered,
  engineMigrations,
  enqueueAll,
  migrate,
  retryLater,
  transaction,
  type Message,
  type Outcome,
  type Transport,
} from '@posthorn/engine'
import { once } from '@posthorn/engine/inbox'
import { inbox, keyedOutbox, type EventPayload } from '../../kit/events/outbox.ts'
import { insertEffect, schemaOf } from '../../kit/events/queries.ts'
import { WORK_MS, type Contestant } from './contestant.ts'
import { posthornLeft, selectLeft } from './queries.ts'
import { versionOf } from './version.ts'

const outbox = keyedOutbox({
  ...{ name: 'posthorn', table: 'crash.posthorn_event', transport: 'handler' },
})

/** An outbox ordered by key whose relay hands messages to the handler, which has an inbox. */
export const posthorn: Contestant = {
  name: 'posthorn',
  version: versionOf('@posthorn/engine'),
  settings: 'ordered by key, lease 2 s, effects through the inbox',
  async prepare(pool) {
    await migrate(pool, [await engineMigrations()])
    await pool.query(schemaOf([outbox]))
    return {
      source: outbox.name,
      add: (tx, entries) =>
        enqueueAll(
          tx,
          outbox,
          entries.map(({ id, key, n }) => ({ id, key, n: String(n) })),
        ),
    }
  },
  async work({ pool, note }) {
    const handle = async ({ id, payload }: Message) => {
      const { key, n } = payload as EventPayload
      note({ id, key, n })
      await sleep(WORK_MS)
      await transaction(pool, (tx) =>
        once(tx, { inbox, consumer: 'peers', id }, () =>
          insertEffect(tx, outbox.name, { id, key, n }),
        ),
      )
    }
    const relay = createRelay({
      ...{ pool, outboxes: [outbox], transports: { handler: handlerTransport(handle) } },
      drain: '5s',
    })
    await relay.start()
    return () => relay.stop()
  },
  left: (db) => selectLeft(db, posthornLeft),
}

/** Keys beside each other, the messages of a key one after the other. */
function handlerTransport(handle: (message: Message) => Promise<void>): Transport {
  return {
    async deliver(batch, { signal }) {
      const outcomes = batch.map((): Outcome => delivered())
      const byKey = Map.groupBy(batch.entries(), ([, { message }]) => message.key)
      await Promise.all(
        [...byKey.values()].map(async (ofKey) => {
          let failure: Outcome | undefined
          for (const [at, { message }] of ofKey) {
            failure ??= signal.aborted ? retryLater(signal.reason) : undefined
            failure ??= await handle(message).then(() => undefined, retryLater)
            if (failure) outcomes[at] = failure
          }
        }),
      )
      return outcomes
    },
    close: async () => undefined,
  }
}

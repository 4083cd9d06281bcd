import {
  createRelay,
  delivered,
  enqueue,
  enqueueAll,
  fromPg,
  transaction,
  type Delivery,
  type Outbox,
  type Outcome,
  type Relay,
  type Transport,
} from '@posthorn/engine'
import { Pool } from 'pg'
import {
  commitBy,
  commitEach,
  type Contestant,
  type EnqueueContestant,
  type Handle,
  type LatencyContestant,
} from '../contestant.ts'
import {
  BATCH,
  benchOutbox,
  createOutbox,
  fillOutbox,
  type OutboxForm,
  type OutboxRow,
} from '../../kit/outbox.ts'
import { packageVersion } from '../../kit/harness.ts'
import { key, payload, sampleOf, samplePayload, SENDERS } from '../../kit/payload.ts'
import { tally } from '../../kit/tally.ts'

const VERSION = packageVersion('@posthorn/engine')

// As `RelayOptions.pool` says: one a lane, and two more.
const SPARE_CONNECTIONS = 2

function nameOf({ claims, record, extra }: OutboxForm): string {
  const recorded = record === 'all' ? ' recorded' : ''
  return `posthorn ${claims}${recorded}${extra === undefined ? '' : `, ${extra}`}`
}

async function openOutbox(url: string, form: OutboxForm, max = form.inHand + SPARE_CONNECTIONS) {
  const pool = new Pool({ connectionString: url, max })
  const outbox = benchOutbox(form)
  await createOutbox(pool, outbox)
  return { pool, outbox }
}

export function posthorn(form: OutboxForm): Contestant {
  return {
    name: nameOf(form),
    version: VERSION,
    settings: `batches of ${BATCH}, ${form.inHand} in hand, record ${form.record}`,
    async open({ url }) {
      const { pool, outbox } = await openOutbox(url, form)
      return {
        enqueue: (count) => fillOutbox(pool, count, outbox.log),
        async drain(count, limitMs) {
          const counter = tally(count, limitMs)
          const relay = await startRelay(pool, outbox, (message) => counter.count(message))
          // Stopping settles what is under way.
          return counter.result(() => relay.stop())
        },
        close: () => pool.end(),
      }
    },
  }
}

/** `own`: by the engine's `transaction`. `borrowed`: by pg's client, with the engine a guest. */
export function posthornLatency(
  claims: OutboxForm['claims'],
  kind: 'own' | 'borrowed',
): LatencyContestant {
  const form: OutboxForm = { claims, record: 'none', inHand: 2 }
  return {
    name: `posthorn ${claims}, ${kind} transaction`,
    version: VERSION,
    settings: `${form.inHand} in hand, ${kind === 'own' ? 'transaction()' : 'fromPg(client)'}`,
    async open({ url }, handle) {
      const { pool, outbox } = await openOutbox(url, form)
      const senders = new Pool({ connectionString: url, max: SENDERS })
      const relay = await startRelay(pool, outbox, (message) => void handle(sampleOf(message)))
      const row = (sample: number) => ({ key: key(sample), payload: samplePayload(sample) })
      return {
        send: (sample) =>
          kind === 'own'
            ? commitBy(senders, (tx) => enqueue(tx, outbox, row(sample)))
            : commitEach(senders, (client) => enqueue(fromPg(client), outbox, row(sample))),
        async close() {
          await relay.stop()
          await Promise.all([pool.end(), senders.end()])
        },
      }
    },
  }
}

/** Handlers that take their time, `atOnce` of them at once. */
export function posthornSlow(claims: OutboxForm['claims'], atOnce: number): LatencyContestant {
  const form: OutboxForm = { claims, record: 'none', inHand: 2, batch: atOnce / 2 }
  return {
    name: `posthorn ${claims}`,
    version: VERSION,
    settings: `batches of ${form.batch}, ${form.inHand} in hand`,
    async open({ url }, handle) {
      const { pool, outbox } = await openOutbox(url, form)
      const senders = new Pool({ connectionString: url, max: SENDERS })
      const noop = eachTransport(handle)
      const relay = createRelay({ pool, outboxes: [outbox], transports: { noop } })
      await relay.start()
      return {
        send(sample, how) {
          const own = how?.lone === true ? `lone-${sample}` : key(sample)
          const row = { key: own, payload: samplePayload(sample) }
          return commitBy(senders, (tx) => enqueue(tx, outbox, row))
        },
        async close() {
          await relay.stop()
          await Promise.all([pool.end(), senders.end()])
        },
      }
    },
  }
}

/** Side by side, the messages of one key one after the other. */
function eachTransport(handle: Handle): Transport {
  return {
    takes: 'each',
    async deliver(batch, { ordered, report }) {
      const queues = Map.groupBy(batch.entries(), ([at, { message }]) =>
        ordered ? message.key : at,
      )
      const run = async (queue: [number, Delivery][]) => {
        for (const [at, { message }] of queue) {
          await handle(sampleOf(message.payload))
          report?.(at, delivered())
        }
      }
      await Promise.all([...queues.values()].map(run))
      return batch.map(() => delivered())
    },
  }
}

export function posthornEnqueue(claims: OutboxForm['claims']): EnqueueContestant {
  return {
    name: `posthorn ${claims}`,
    version: VERSION,
    settings: 'enqueueAll; enqueue in transaction()',
    async open({ url }) {
      const { pool, outbox } = await openOutbox(url, { claims, record: 'none', inHand: 1 }, 1)
      const row = (index: number) => ({ key: key(index), payload: payload(index) })
      return {
        async bulk(indexes) {
          await transaction(pool, (tx) => enqueueAll(tx, outbox, indexes.map(row)))
        },
        async single(index) {
          await transaction(pool, (tx) => enqueue(tx, outbox, row(index)))
        },
        close: () => pool.end(),
      }
    },
  }
}

/** Delivers to a handler in this process. */
export async function startRelay(
  pool: Pool,
  outbox: Outbox<OutboxRow>,
  handle: (message: unknown) => Outcome | undefined | void,
): Promise<Relay> {
  const noop: Transport = {
    async deliver(batch) {
      return batch.map(({ message }) => handle(message.payload) ?? delivered())
    },
    async close() {},
  }
  const relay = createRelay({ pool, outboxes: [outbox], transports: { noop } })
  await relay.start()
  return relay
}

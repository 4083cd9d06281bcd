import { setTimeout as sleep } from 'node:timers/promises'
import { createNotifier, createRelay, delivered, enqueue, transaction } from '@posthorn/engine'
import { Pool } from 'pg'
import { percentile } from '../kit/harness.ts'
import { benchOutbox, createOutbox, type OutboxForm } from '../kit/outbox.ts'
import { key, sampleOf, samplePayload, SENDERS } from '../kit/payload.ts'
import { deadTuplesNow, holdSnapshot, rest, type Database } from '../kit/postgres.ts'
import { round, type Line } from '../kit/report.ts'

const PER_SECOND = 800
/** Lines of the result: one for each part of the time. */
const PARTS = 6
const BYSTANDER_EVERY_MS = 20

interface Holding {
  readonly storage: OutboxForm['claims']
  readonly isHeld: boolean
  readonly forMs: number
}

interface Part {
  delivered: number
  readonly waits: number[]
  readonly bystander: number[]
}

/**
 * Writers, a relay and a bystander's query at work while a transaction is held open, in parts of the
 * time: what piles up shows in the later ones.
 */
export async function measureHolding(
  database: Database,
  { storage, isHeld, forMs }: Holding,
): Promise<Line[]> {
  const form: OutboxForm = { claims: storage, record: 'none', inHand: 2 }
  const outbox = benchOutbox(form)
  await createOutbox(database.pool, outbox)
  await database.pool.query(BYSTANDER_TABLE)
  await rest(database)
  await using open = new AsyncDisposableStack()
  const poolOf = (max: number) =>
    open.adopt(new Pool({ connectionString: database.url, max }), (pool) => pool.end())
  const [senders, pool, others] = [poolOf(SENDERS), poolOf(form.inHand + 2), poolOf(1)]

  let part: Part = emptyPart()
  const committed = new Map<number, number>()
  const relay = createRelay({
    ...{ pool, outboxes: [outbox] },
    transports: {
      noop: {
        async deliver(batch) {
          const now = performance.now()
          for (const { message } of batch) {
            const sample = sampleOf(message.payload)
            const at = committed.get(sample)
            committed.delete(sample)
            part.delivered += 1
            // Delivered before the writer heard of its commit: no wait at all.
            part.waits.push(at === undefined ? 0 : now - at)
          }
          return batch.map(() => delivered())
        },
        async close() {},
      },
    },
  })
  const notifier = createNotifier(senders, [outbox])
  open.defer(() => notifier.close())
  await relay.start()
  open.defer(() => relay.stop())
  if (isHeld) open.adopt(await holdSnapshot(database), (client) => client.end())

  const over = new AbortController()
  const writing = write(over.signal, async (sample) => {
    const row = { key: key(sample), payload: samplePayload(sample) }
    await transaction(senders, (tx) => enqueue(tx, outbox, row))
    committed.set(sample, performance.now())
  })
  const looking = look(over.signal, others, (ms) => part.bystander.push(ms))
  const lines: Line[] = []
  for (let i = 1; i <= PARTS; i += 1) {
    await sleep(forMs / PARTS)
    const done = part
    part = emptyPart()
    lines.push({
      untilSecond: Math.round((i * forMs) / PARTS / 1_000),
      perSecond: Math.round(done.delivered / (forMs / PARTS / 1_000)),
      p50: round(percentile(done.waits, 50)),
      p99: round(percentile(done.waits, 99)),
      bystanderP50: round(percentile(done.bystander, 50)),
      bystanderP99: round(percentile(done.bystander, 99)),
      deadTuples: await deadTuplesNow(others),
    })
  }
  over.abort()
  await Promise.all([writing, looking])
  return lines
}

function emptyPart(): Part {
  return { delivered: 0, waits: [], bystander: [] }
}

/** At a fixed rate, each in a transaction of its own. */
async function write(
  signal: AbortSignal,
  enqueueOne: (sample: number) => Promise<void>,
): Promise<void> {
  const start = performance.now()
  const writing = new Set<Promise<void>>()
  for (let sent = 0; !signal.aborted;) {
    const due = ((performance.now() - start) / 1_000) * PER_SECOND
    for (; sent < due; sent += 1) {
      const one = enqueueOne(sent).finally(() => writing.delete(one))
      writing.add(one)
    }
    await sleep(1)
  }
  await Promise.all(writing)
}

/** Another application's query on the same server, again and again. */
async function look(
  signal: AbortSignal,
  pool: Pool,
  onAnswered: (ms: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now()
    await pool.query(BYSTANDER, [Math.ceil(Math.random() * BYSTANDER_ROWS)])
    onAnswered(performance.now() - begun)
    await sleep(BYSTANDER_EVERY_MS)
  }
}

const BYSTANDER_ROWS = 100_000

const BYSTANDER_TABLE = `
  create table bench.customer (id integer primary key, name text not null);
  insert into bench.customer select i, md5(i::text) from generate_series(1, ${BYSTANDER_ROWS}) as i`

const BYSTANDER = 'select name from bench.customer where id = $1'

import { setTimeout as sleep } from 'node:timers/promises'
import { Consumer, Producer, stringSerializers } from '@platformatic/kafka'
import { Pool, type PoolClient } from 'pg'
import { CONSUMER, INBOX, type HalfOrder } from './halves.ts'
import { BATCH } from '../kit/outbox.ts'

/*
 * The same way by the client libraries alone: a loop over plain SQL that sends to Kafka, and a loop
 * that stores what arrives. No retries, no leases, no order across its connections, no recovery.
 */

const CONNECTIONS = 2
/** Between looks at an empty table. */
const POLL_MS = 2
/** As the transport does. */
const COMMIT_EVERY_MS = 200

interface Row {
  readonly id: string
  readonly key: string
  readonly payload: string
}

const LOCK = {
  name: 'lock',
  text: `
  select id, key, payload::text as payload
    from bench.outbox
   where status in ('pending', 'failed')
     and next_attempt_at <= now()
   order by next_attempt_at, id
   limit $1
     for update skip locked`,
}

const MARK = {
  name: 'mark',
  text: `update bench.outbox set status = 'sent', sent_at = now() where id = any($1)`,
}

const RECEIVE = {
  name: 'receive',
  text: `
  insert into ${INBOX.table} (consumer, event_id)
  select $1, unnest($2::uuid[])
      on conflict do nothing`,
}

export async function produceBare({ databaseUrl, address, topic }: HalfOrder): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  const producer = new Producer({
    clientId: 'bare',
    bootstrapBrokers: address.split(','),
    serializers: stringSerializers,
    idempotent: true,
  })
  const send = async (client: PoolClient): Promise<number> => {
    await client.query('begin')
    const { rows } = await client.query<Row>({ ...LOCK, values: [BATCH] })
    if (rows.length > 0) {
      await producer.send({
        messages: rows.map(({ id, key, payload }) => ({
          ...{ topic, key, value: payload },
          headers: { ce_id: id },
        })),
      })
      await client.query({ ...MARK, values: [rows.map(({ id }) => id)] })
    }
    await client.query('commit')
    return rows.length
  }
  const loop = async (): Promise<void> => {
    const client = await pool.connect()
    for (;;) if ((await send(client)) === 0) await sleep(POLL_MS)
  }
  for (let i = 0; i < CONNECTIONS; i += 1) void loop()
}

interface Received {
  readonly id: string
  readonly payload: unknown
}

export async function consumeBare(
  { databaseUrl, address, topic }: HalfOrder,
  onHandled: (payloads: readonly unknown[]) => void,
): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 })
  const consumer = new Consumer({
    ...{ clientId: 'bare', groupId: 'bare', bootstrapBrokers: address.split(',') },
  })
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false })
  let waiting: Received[] = []
  const offsets = new Map<number, bigint>()
  stream.on('data', ({ value, headers, partition, offset }) => {
    const headerTexts = [...headers].map(([name, text]) => [name.toString(), text.toString()])
    const id = (Object.fromEntries(headerTexts) as Record<string, string>)['ce_id'] ?? ''
    waiting.push({ id, payload: JSON.parse(value.toString()) })
    offsets.set(partition, offset)
  })
  const loop = async (): Promise<void> => {
    for (let committedAt = 0; ;) {
      const batch = waiting
      waiting = []
      if (batch.length === 0) {
        await sleep(1)
        continue
      }
      const passed = [...offsets]
      await pool.query({ ...RECEIVE, values: [CONSUMER, batch.map(({ id }) => id)] })
      onHandled(batch.map(({ payload }) => payload))
      if (performance.now() - committedAt < COMMIT_EVERY_MS) continue
      committedAt = performance.now()
      await consumer.commit({
        offsets: passed.map(([partition, offset]) => ({
          ...{ topic, partition, offset: offset + 1n, leaderEpoch: 0 },
        })),
      })
    }
  }
  void loop()
}

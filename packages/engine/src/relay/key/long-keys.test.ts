import { randomBytes } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { enqueue, enqueueAll } from '../../enqueue/enqueue.ts'
import { transaction } from '../../database/transaction.ts'
import { poolHandle } from '../../database/pool-handle.ts'
import { outbox as standard } from '../../host/standard-outbox.ts'
import { silentLog } from '../../log.ts'
import { defineOutbox, type Outbox } from '../../outbox/define.ts'
import { exponential } from '../../outbox/retry.ts'
import { outboxTableSql } from '../../outbox/table.sql.ts'
import { fakeTransport, testDatabase, viewTable, testSession } from '../../testing/index.ts'
import { LogSource } from '../log/log-source.ts'
import { createRelay } from '../relay.ts'
import { KeySource } from './key-source.ts'

/* What one key or one bucket cannot do must stop no other. */

interface Event {
  id: string
  key: string
  n: number
  status: string
  attempts: number
  due_at: Date
}

const outboxNamed = (name: string, extra: object) =>
  defineOutbox<Event>({
    name: `long.${name}`,
    table: `long.${name}`,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim: { batch: 50, lease: '1s', every: '100ms' },
    retry: exponential('1s', { attempts: 3 }),
    destination: { transport: 'fake', topic: 't' },
    message: (row) => ({ id: row.id, type: 'e', key: row.key, payload: row.n }),
    ...extra,
  })
const order = { key: 'key', dead: 'block' } as const
const tabled = outboxNamed('tabled', { order })
const logged = outboxNamed('logged', { order, storage: 'log' })
const loose = standard('long.loose', {
  destination: { transport: 'fake', topic: 't' },
})

const db = await testDatabase({
  sql: `create schema long;
    create function long.refuse() returns trigger language plpgsql as $$
      begin
        if new.key = 'bad' and new.lost_claims > 0 then raise exception 'not this one'; end if;
        return new;
      end $$;
    ${[tabled, logged]
      .map(
        (outbox) => `create table ${outbox.table} (id uuid primary key, key text not null,
          n int not null, status text not null default 'ready', attempts int not null default 0,
          due_at timestamptz not null default posthorn.now());
        ${outboxTableSql(outbox)}
        create trigger refuse before insert or update on ${outbox.exceptions ?? outbox.table}
          for each row execute function long.refuse();`,
      )
      .join('')}`,
})
await db.pool.query(loose.tableSql())

const boxes = [tabled, logged] as const
beforeEach(async () => {
  for (const box of boxes) await viewTable(db.pool, box as unknown as Outbox).empty()
})
/** Nothing makes it smaller. */
const incompressible = (bytes: number) => randomBytes(bytes).toString('hex').slice(0, bytes)

test.each(boxes)('a key that no index could hold is refused by $name', async (outbox) => {
  const long = incompressible(1_025)
  const put = (key: string) => transaction(db.pool, (tx) => enqueue(tx, outbox, { key, n: 1 }))
  await expect(put(long)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  await expect(put('é'.repeat(600))).rejects.toThrow('key has 1200 bytes; the limit is 1,024')
  await expect(
    db.pool.query(
      `insert into ${outbox.log ?? outbox.table} (id, key, n) values (gen_random_uuid(), $1, 1)`,
      [long],
    ),
  ).rejects.toThrow('the key of a message has 1025 bytes; the limit is 1,024')
  await put(long.slice(1))
})

test('what else is too large is refused by its name', async () => {
  const put = (more: object, payload: unknown = {}) =>
    transaction(db.pool, (tx) => loose.enqueue(tx, 'e', payload, more))
  const long = 'x'.repeat(1_025)
  for (const field of ['key', 'tenant', 'dedupe']) {
    await expect(put({ [field]: long })).rejects.toThrow(`${field} has 1025 bytes`)
  }
  const type = transaction(db.pool, (tx) => loose.enqueue(tx, long, {}))
  await expect(type).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  const id = transaction(db.pool, (tx) => enqueue(tx, loose, { id: long, type: 'e', payload: 1 }))
  await expect(id).rejects.toThrow('id has 1025 bytes')
  await expect(put({}, 'x'.repeat(16 * 1_024 * 1_024))).rejects.toThrow('payload has 16777218')
  const sql = (text: string) => db.pool.query(`select posthorn.enqueue('long.loose', ${text})`)
  await expect(sql(`repeat('x', 1025), '{}'`)).rejects.toThrow('at most 1,024 bytes')
  await expect(sql(`'e', '{}', key => repeat('x', 1025)`)).rejects.toThrow('at most 1,024 bytes')
})

test.each(boxes)('one bucket that cannot be taken over stops no other of $name', async (outbox) => {
  const keys = Array.from({ length: 100 }, (_, i) => (i === 0 ? 'bad' : `key-${i}`))
  await transaction(db.pool, (tx) =>
    enqueueAll(
      tx,
      outbox,
      keys.map((key, n) => ({ key, n })),
    ),
  )
  const box = outbox as unknown as Outbox
  const Source = outbox.log === undefined ? KeySource : LogSource
  const session = await testSession(db.pool, box, 'doomed')
  const doomed = new Source(poolHandle(db.pool, { prepare: true }), box, { session })
  await doomed.maintain()
  await doomed.claim('batch', 200)
  await viewTable(db.pool, box).expireLeases()
  const fake = fakeTransport()
  const said: { at: object; message: string }[] = []
  const log = {
    ...silentLog,
    error: (at: object, message: string) => void said.push({ at, message }),
  }
  const relay = createRelay({ pool: db.pool, outboxes: [outbox], transports: { fake }, log })
  onTestFinished(() => relay.stop())
  await relay.start()
  const { rows } = await db.pool.query<{ others: number; bucket: number }>(
    `select count(*) filter (where posthorn.bucket_of(key) <> posthorn.bucket_of('bad'))::int as others,
            posthorn.bucket_of('bad') as bucket
       from unnest($1::text[]) as key`,
    [keys],
  )
  await expect.poll(() => fake.arrived.length, { timeout: 20_000 }).toBe(rows[0]?.others)
  expect(said).toContainEqual({
    at: expect.objectContaining({ outbox: outbox.name, bucket: rows[0]?.bucket }),
    message: 'bucket not taken over; its messages wait',
  })
  // What was wrong is mended: its messages go out.
  await db.pool.query(`alter table ${outbox.exceptions ?? outbox.table} disable trigger refuse`)
  onTestFinished(async () => {
    await db.pool.query(`alter table ${outbox.exceptions ?? outbox.table} enable trigger refuse`)
  })
  await expect.poll(() => fake.arrived.length, { timeout: 20_000 }).toBe(100)
})

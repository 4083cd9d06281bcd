import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startPgbouncer } from '../../../../scripts/services/index.mjs'
import {
  createRelay,
  defineOutbox,
  enqueueAll,
  outboxTableSql,
  schedule,
  silentLog,
  transaction,
  uuid,
  type OutboxDefinition,
} from '../index.ts'
import { fakeTransport, outboxConformance, testDatabase } from '../testing/index.ts'
import { outboxTables } from '../testing/outboxes.ts'
import { SHAPES } from '../testing/samples.ts'

interface Job {
  id: string
  status: string
  attempts: number
  due_at: Date
}

const definition = {
  name: 'pooled.jobs',
  table: 'pooled.job',
  states: { ready: 'ready', sent: 'sent' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { every: '200ms', batch: 5 },
  retry: schedule(['1s'], { then: 'repeat-last' }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id }: Job) => ({ id, type: 'job', payload: {} }),
} satisfies OutboxDefinition<Job>
const here = defineOutbox<Job>(definition)
// The same outbox in another process: its bell is not heard here.
const elsewhere = defineOutbox<Job>(definition)

const database = await testDatabase({
  sql: `${outboxTables};
    create schema pooled;
    create table pooled.job (id uuid primary key, status text not null default 'ready',
      attempts int not null default 0, due_at timestamptz not null default posthorn.now());
    ${outboxTableSql(here)}`,
})
const folder = await mkdtemp(join(tmpdir(), 'posthorn-pgbouncer-'))
const bouncer = await startPgbouncer(database.url, { dir: folder, log: () => undefined })
const pooled = new Pool({ connectionString: bouncer.url, max: 10 })
pooled.on('error', () => undefined)
// Before the database is dropped: the pooler keeps connections to it.
afterAll(async () => {
  await pooled.end()
  await bouncer.stop()
  await rm(folder, { recursive: true })
})

for (const { outbox, sample } of SHAPES) {
  const key = outbox.order && { [outbox.order.key]: uuid() }
  outboxConformance(outbox, {
    pool: () => pooled,
    transports: ['topics'],
    sample: (n) => ({ ...sample(n), ...key }),
  })
}

test('a relay that is told to listen behind a pooler says what is wrong, and polls', async () => {
  const said: string[] = []
  const note = (_: object, message: string) => void said.push(message)
  const fake = fakeTransport()
  const relay = createRelay({
    pool: pooled,
    outboxes: [here],
    transports: { fake },
    log: { ...silentLog, warn: note, error: note },
  })
  onTestFinished(() => relay.stop())
  await relay.start()
  await transaction(database.pool, (tx) =>
    enqueueAll(
      tx,
      elsewhere,
      Array.from({ length: 40 }, () => ({})),
    ),
  )
  await expect.poll(() => fake.arrived.length, { timeout: 20_000 }).toBe(40)
  await relay.stop()
  expect(said).toEqual(['NOTIFY does not come through; polling, nothing prepared'])
})

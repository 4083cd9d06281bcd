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
import { poolHandle } from '../database/pool-handle.ts'
import { fakeTransport, outboxConformance, testDatabase } from '../testing/index.ts'
import { LOGGED, SAMPLES, outboxTables } from '../testing/outboxes.ts'

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

for (const { outbox, sample } of [...SAMPLES, LOGGED]) {
  const key = outbox.order && { [outbox.order.key]: uuid() }
  outboxConformance(outbox, {
    pool: () => pooled,
    transports: ['topics'],
    sample: (n) => ({ ...sample(n), ...key }),
  })
}

test('a relay that is told to listen behind a pooler says what is wrong, and polls', async () => {
  const said: string[] = []
  const note = ({ set }: { set?: unknown }, message: string) =>
    void said.push(`${message}: ${String(set)}`)
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
  expect(said).toEqual([
    `NOTIFY does not arrive; polling without prepared statements: mode: 'poll' (POSTHORN_RELAY_MODE=poll)`,
  ])
})

test('statements that were prepared on another connection are run all the same, and it is said once', async () => {
  let said = 0
  const handle = poolHandle(pooled, { prepare: true, onRefused: () => void (said += 1) })
  const ask = (n: number) =>
    handle.db.query<{ n: number }>({
      name: `ask_${n % 3}`,
      text: 'select $1::int as n',
      values: [n],
    })
  const answers: number[] = []
  // Side by side, so that the pooler leads one client to several connections of its own.
  for (let round = 0; round < 20; round += 1) {
    const found = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n)))
    answers.push(...found.map(({ rows }) => rows[0]?.n ?? -1))
  }
  expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => n % 10))
  expect(said).toBe(1)
})

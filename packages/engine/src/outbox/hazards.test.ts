import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createRelay,
  defineOutbox,
  enqueue,
  fixed,
  outboxTableSql,
  silentLog,
  transaction,
  type Outbox,
  type OutboxDefinition,
} from '../index.ts'
import { fakeTransport, testDatabase } from '../testing/index.ts'
import { listHazards } from './hazards.ts'

interface Job {
  id: string
  key: string
  status: string
  attempts: number
  due_at: Date
}

const definition = {
  name: 'hazard.jobs',
  table: 'hazard.job',
  states: { ready: 'ready', sent: 'sent', retry: 'again', dead: 'dead' },
  columns: { dueAt: 'due_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { every: '100ms' },
  retry: fixed('1s', { attempts: 3 }),
  destination: { transport: 'fake', topic: 'jobs' },
  message: ({ id, key }: Job) => ({ id, key, type: 'job', payload: {} }),
} satisfies OutboxDefinition<Job>

const byRow = defineOutbox<Job>(definition)
const byKey = defineOutbox<Job>({
  ...definition,
  name: 'hazard.keyed',
  table: 'hazard.keyed',
  order: { key: 'key', dead: 'block' },
})
const logged = defineOutbox<Job>({
  ...definition,
  name: 'hazard.logged',
  table: 'hazard.logged',
  storage: 'log',
  order: { key: 'key', dead: 'block' },
})
const all = [byRow, byKey, logged] as Outbox<Job>[]

const database = await testDatabase({
  sql: `create schema hazard; ${all
    .map(
      (outbox) => `
  create table ${outbox.table} (id uuid primary key, key text not null,
    status text not null default 'ready', attempts int not null default 0,
    due_at timestamptz not null default posthorn.now());
  ${outboxTableSql(outbox)}`,
    )
    .join('')}`,
})
const { pool } = database
let roles = 0

/** A role with all that the guide grants, and its connections. */
async function makeRole() {
  roles += 1
  const role = `hazard_${roles}_${database.name}`
  await pool.query(`
    create role ${role} login password 'relay';
    grant usage on schema posthorn, hazard to ${role};
    grant select, insert, update, delete on all tables in schema posthorn, hazard to ${role};
    grant usage on all sequences in schema posthorn, hazard to ${role}`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'relay'
  const own = database.connect({ connectionString: url.href, max: 5 })
  onTestFinished(async () => {
    await own.end()
    await pool.query(`drop owned by ${role}; drop role ${role}`)
  })
  return { role, own }
}

/** Refused with the code; the SQL of the message is enough to start and deliver. */
async function refusedUntilMended(outbox: Outbox<Job>, code: string, own = pool): Promise<string> {
  const fake = fakeTransport()
  const relay = createRelay({
    pool: own,
    ...{ outboxes: [outbox], transports: { fake }, log: silentLog, maintenance: 'off' },
  })
  onTestFinished(() => relay.stop())
  const error = await relay.start().then(
    () => undefined,
    (cause: unknown) => cause as Error,
  )
  expect(error).toMatchObject({ code })
  const hazards = await listHazards(own, outbox as unknown as Outbox)
  expect(hazards).toMatchObject([{ code, level: 'fail' }])
  const run = hazards[0]?.run ?? ''
  expect(error?.message).toContain(run)
  await pool.query(run)
  expect(await listHazards(own, outbox as unknown as Outbox)).toEqual([])
  await transaction(pool, (tx) => enqueue(tx, outbox, { key: 'a' }))
  await relay.start()
  await expect.poll(() => fake.arrived.length).toBeGreaterThan(0)
  await relay.stop()
  return error?.message ?? ''
}

describe.each(all)('a relay of $name', (outbox) => {
  // A log's messages stand there once they wait.
  const claimed = outbox.exceptions ?? outbox.table

  test('with what the guide grants finds no hazard', async () => {
    const { own } = await makeRole()
    expect(await listHazards(own, outbox as unknown as Outbox)).toEqual([])
  })

  test.each([
    ['usage on schema hazard'],
    ['usage on schema posthorn'],
    [`select on table ${outbox.table}`],
    [`update on table ${claimed}`],
    ['insert, update on table posthorn.session'],
    ['select on table posthorn.pause'],
  ])('does not start without %s, and says what to grant', async (right) => {
    const { role, own } = await makeRole()
    await pool.query(`revoke ${right} from ${role}`)
    const says = await refusedUntilMended(outbox, 'RIGHTS_MISSING', own)
    expect(says).toContain(role)
  })

  test.each(['status', 'due_at', 'attempts'])('refuses a %s that may be null', async (column) => {
    await pool.query(`alter table ${claimed} alter column ${column} drop not null`)
    await refusedUntilMended(outbox, 'TABLE_MISMATCH')
  })

  test('warns of a unique index over what it writes', async () => {
    const [schema] = claimed.split('.')
    await pool.query(`create unique index one_at_a_time on ${claimed} (key) where status = 'ready'`)
    onTestFinished(
      async () => void (await pool.query(`drop index if exists ${schema}.one_at_a_time`)),
    )
    const warned: unknown[] = []
    const log = { ...silentLog, warn: ({ err }: { err?: unknown }) => void warned.push(err) }
    const parts = { outboxes: [outbox], transports: { fake: fakeTransport() }, log }
    const relay = createRelay({ pool, ...parts })
    await relay.start()
    await relay.stop()
    expect(warned).toContainEqual(
      expect.objectContaining({
        code: 'INDEX_IN_THE_WAY',
        message: expect.stringContaining(`one_at_a_time has status in it`),
      }),
    )
    // By the id as well it is no other message's.
    await pool.query(`drop index ${schema}.one_at_a_time;
      create unique index one_at_a_time on ${claimed} (id, status)`)
    expect(await listHazards(pool, outbox as unknown as Outbox)).toEqual([])
  })
})

test.each(['add_counts', 'bucket_of', 'key_digest'])(
  'a relay that may not call %s',
  async (name) => {
    const { role, own } = await makeRole()
    const { rows } = await pool.query<{ name: string }>(
      `select oid::regprocedure::text as name from pg_proc
      where pronamespace = 'posthorn'::regnamespace and proname = $1`,
      [name],
    )
    await pool.query(`revoke execute on function ${rows[0]?.name} from public`)
    onTestFinished(
      async () => void (await pool.query(`grant execute on function ${rows[0]?.name} to public`)),
    )
    expect(await refusedUntilMended(byKey, 'RIGHTS_MISSING', own)).toContain(role)
  },
)

test('a right on each column is as good as one on the table', async () => {
  const { role, own } = await makeRole()
  await pool.query(`revoke update on hazard.job from ${role};
    grant update (status, due_at, attempts, claim_token, claimed_until) on hazard.job to ${role}`)
  await refusedUntilMended(byRow, 'RIGHTS_MISSING', own)
  await pool.query(`revoke update on hazard.job from ${role};
    grant update (status, due_at, attempts, claim_token, claimed_until, lost_claims) on hazard.job to ${role}`)
  expect(await listHazards(own, byRow as unknown as Outbox)).toEqual([])
})

test('row-level security is looked for in the log too', async () => {
  const { own } = await makeRole()
  await pool.query(`alter table hazard.logged_log enable row level security`)
  onTestFinished(
    async () => void (await pool.query(`alter table hazard.logged_log disable row level security`)),
  )
  await refusedUntilMended(logged, 'ROWS_HIDDEN', own)
})

describe('a trigger', () => {
  const triggerOf = async (table: string, body: string, when: string) => {
    await pool.query(`
      create or replace function hazard.meddle() returns trigger language plpgsql as $$
      begin ${body} return new; end $$;
      create trigger meddle before ${when} on ${table} for each row execute function hazard.meddle()`)
    onTestFinished(async () => void (await pool.query(`drop trigger if exists meddle on ${table}`)))
  }

  test.each([
    ['insert', 'new.seq := new.seq - 1000;'],
    ['insert', `if new.key = 'x' then new.seq = 5; end if;`],
    ['update', 'new.key := lower(new.key);'],
    ['insert or update', 'select gen_random_uuid() into new.id;'],
  ])('before %s that does "%s" is refused', async (when, body) => {
    await triggerOf('hazard.keyed', body, when)
    await refusedUntilMended(byKey, 'TRIGGER_IN_THE_WAY')
  })

  test.each([
    ['insert', 'new.key := lower(new.key);'],
    ['update', `if new.seq = 5 then new.status := new.status; end if; -- new.seq := 1;\n`],
    ['insert', 'new.due_at := greatest(new.due_at, posthorn.now());'],
  ])('before %s that does "%s" is not', async (when, body) => {
    await triggerOf('hazard.keyed', body, when)
    expect(await listHazards(pool, byKey as unknown as Outbox)).toEqual([])
  })

  test('that is disabled is nobody’s concern', async () => {
    await triggerOf('hazard.keyed', 'new.seq := 1;', 'insert')
    await pool.query('alter table hazard.keyed disable trigger meddle')
    expect(await listHazards(pool, byKey as unknown as Outbox)).toEqual([])
  })
})

test('a bucket that is not the one of the key is refused', async () => {
  await pool.query('truncate hazard.keyed')
  await pool.query('alter table hazard.keyed alter column bucket drop expression')
  await pool.query('alter table hazard.keyed alter column bucket set default 7')
  const error = await listHazards(pool, byKey as unknown as Outbox)
  expect(error).toMatchObject([
    { code: 'TABLE_MISMATCH', says: expect.stringContaining('"bucket"') },
  ])
  await pool.query(error[0]?.run ?? '')
  await pool.query(outboxTableSql(byKey))
  expect(await listHazards(pool, byKey as unknown as Outbox)).toEqual([])
})

test('a seq without a sequence is refused', async () => {
  await pool.query('alter table hazard.keyed alter column seq drop identity')
  const relay = createRelay({ pool, outboxes: [byKey], transports: { fake: fakeTransport() } })
  await expect(relay.start()).rejects.toMatchObject({
    code: 'TABLE_MISMATCH',
    message: expect.stringContaining('"seq"'),
  })
  await pool.query((await listHazards(pool, byKey as unknown as Outbox))[0]?.run ?? '')
  await pool.query(outboxTableSql(byKey))
  expect(await listHazards(pool, byKey as unknown as Outbox)).toEqual([])
})

test.each([
  [byRow, 'job_due'],
  [byKey, 'keyed_flow'],
  [byKey, 'keyed_held'],
  [logged, 'logged_log_flow'],
  [logged, 'logged_log_late'],
] as [Outbox<Job>, string][])(
  '$0.name without the index %s is warned of',
  async (outbox, index) => {
    await pool.query(`drop index hazard.${index}`)
    const warned: string[] = []
    const log = { ...silentLog, warn: (_: object, message: string) => void warned.push(message) }
    const start = async () => {
      const parts = { outboxes: [outbox], transports: { fake: fakeTransport() }, log }
      const relay = createRelay({ pool, ...parts })
      await relay.start()
      await relay.stop()
    }
    await start()
    expect(warned).toEqual(['no index for the claim; claims will be slow'])
    await pool.query(outboxTableSql(outbox))
    warned.length = 0
    await start()
    expect(warned).toEqual([])
  },
)

import { expect, test } from 'vitest'
import { prune } from '../maintain/prune.ts'
import {
  listMasters,
  rewrapDataKeys,
  rotateDataKey,
  shredTenant,
  placeHold,
  releaseHold,
  listAlerts,
  getMessage,
  viewMessage,
} from '@posthorn/operate'
import { defineOutbox } from '../outbox/define.ts'
import { schedule } from '../outbox/retry.ts'
import { outboxTableSql } from '../outbox/table.sql.ts'
import { enqueue, enqueueAll } from '../enqueue/enqueue.ts'
import { transaction } from '../database/transaction.ts'
import { createRelay } from '../relay/relay.ts'
import type { Log } from '../log.ts'
import { fakeTransport, outboxConformance, testDatabase, viewTable } from '../testing/index.ts'
import { uuid } from '../uuid.ts'
import { keyRing, type MasterKeys } from './master-keys.ts'

interface Letter {
  id: string
  org: string
  dedupe_key: string
  box: string
  version: number
  payload: unknown
  note: string | null
  scan: Buffer | null
  status: string
  attempts: number
  due_at: Date
  error: string | null
  code: string | null
  created_at: Date
  finished_at: Date | null
}

const SECRETS = { first: 'first secret of the ring'.padEnd(32, '1'), next: 'next'.padEnd(32, '2') }
const ring = keyRing([SECRETS.first])

const COLUMNS: readonly (keyof Letter)[] = ['payload', 'note', 'scan']

function letters(keys: MasterKeys, plain: 'accept' | 'refuse' = 'accept', columns = COLUMNS) {
  return defineOutbox<Letter>({
    name: 'shop.letters',
    table: 'shop.letters',
    states: { ready: 'ready', sent: 'sent', dead: 'dead', cancelled: 'cancelled' },
    columns: {
      dueAt: 'due_at',
      createdAt: 'created_at',
      finishedAt: 'finished_at',
      error: 'error',
      errorCode: 'code',
      tenant: 'org',
      dedupe: ['org', 'dedupe_key'],
    },
    counter: { column: 'attempts', bumps: 'on-claim' },
    retry: schedule(['5m', '10m']),
    retention: { after: '0d', archive: '30d' },
    encrypt: { columns, keys, plain },
    destination: { transport: 'topics', topic: 'letters' },
    message: (row) => ({
      id: row.id,
      type: 'letter',
      version: row.version,
      tenant: row.org,
      payload: { body: row.payload, note: row.note, scan: row.scan?.toString('hex') },
    }),
    upcasters: { letter: { 1: (payload: object) => ({ ...payload, raised: true }) } },
  })
}

const orderedIn = (storage: 'table' | 'log', name: string) =>
  defineOutbox<Letter>({
    name: `shop.${name}`,
    table: `shop.${name}`,
    storage,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at', error: 'error', errorCode: 'code', tenant: 'org' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    order: { key: 'box', dead: 'block' },
    retry: schedule(['5m', '10m']),
    encrypt: { columns: ['payload'], keys: ring },
    destination: { transport: 'topics', topic: 'letters' },
    message: (row) => ({ id: row.id, type: 'letter', payload: row.payload }),
  })

const ordered = orderedIn('table', 'ordered')
const logged = orderedIn('log', 'logged')

const box = letters(ring)

const tableSql = (name: string) => `
create table shop.${name} (
  id uuid primary key,
  org text,
  dedupe_key text not null default gen_random_uuid()::text,
  box text not null default 'main',
  version integer not null default 1,
  payload jsonb,
  note text,
  scan bytea,
  status text not null default 'ready',
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  code text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (org, dedupe_key)
);`

const db = await testDatabase({
  sql: `create schema shop; ${tableSql('letters')} ${tableSql('ordered')} ${tableSql('logged')}
    ${outboxTableSql(box)} ${outboxTableSql(ordered)} ${outboxTableSql(logged)}`,
})
const { pool } = db

for (const outbox of [box, ordered, logged]) {
  outboxConformance(outbox, {
    pool: () => pool,
    transports: ['topics'],
    sample: (n) => ({ org: 'acme', dedupe_key: uuid(), payload: { n } }),
  })
}

const put = (message: Partial<Letter>, outbox = box) =>
  transaction(pool, async (tx) => {
    const sample = { org: 'acme', dedupe_key: uuid(), ...message }
    return (await enqueue(tx, outbox, sample)).id
  })
const rowOf = async (id: string, table = 'letters') =>
  (await pool.query<Letter>(`select * from shop.${table} where id = $1`, [id])).rows[0]!
const empty = async () => {
  for (const outbox of [box, ordered]) await viewTable(pool, outbox as never).empty()
  await pool.query('truncate posthorn.data_key, posthorn.alert')
}

/** Runs a relay of its own until it finds nothing; what it delivered, and what it logged. */
async function relay(outbox = box) {
  const said: string[] = []
  const note = (details: object, message: string) => {
    said.push(`${message} ${JSON.stringify(details)}`)
  }
  const log: Log = { debug: note, info: note, warn: note, error: note }
  const transport = fakeTransport()
  const one = createRelay({
    ...{ pool, outboxes: [outbox], transports: { topics: transport }, mode: 'poll', log },
  })
  for (let i = 0; i < 50 && (await one.runOnce()) > 0; i += 1);
  await one.stop()
  return { arrived: transport.arrived, said }
}

const SECRET = 'Ms Secret, +49 170 1234567'

test('a payload is unreadable in its table, and arrives whole, raised to its version', async () => {
  await empty()
  const scan = Buffer.from('c0ffee', 'hex')
  const id = await put({ payload: { to: SECRET }, note: SECRET, scan })
  const stored = await rowOf(id)
  const { rows } = await pool.query('select l::text as text from shop.letters l')
  expect(JSON.stringify(rows)).not.toContain('Secret')
  expect(stored.payload).toMatchObject({ encrypted: 'A256GCM' })
  expect(stored.note).toMatch(/^posthorn\.A256GCM\./)
  const { arrived, said } = await relay()
  expect(arrived).toMatchObject([
    {
      id,
      version: 2,
      payload: { body: { to: SECRET }, note: SECRET, scan: 'c0ffee', raised: true },
    },
  ])
  expect(said.join()).not.toContain('Secret')
})

test('bulk, none and repeated: each tenant has a key, a repeat changes nothing', async () => {
  await empty()
  const samples = ['a', 'b', null, 'a'].map((org, n) => ({
    ...{ org: org as string, dedupe_key: String(n % 3), payload: n === 2 ? null : { n } },
  }))
  const enqueued = await transaction(pool, (tx) => enqueueAll(tx, box, samples))
  expect(enqueued.map(({ created }) => created)).toEqual([true, true, true, false])
  expect(enqueued[3]?.id).toBe(enqueued[0]?.id)
  const { rows } = await pool.query('select tenant from posthorn.data_key order by tenant')
  expect(rows).toEqual([{ tenant: '' }, { tenant: 'a' }, { tenant: 'b' }])
  const { arrived } = await relay()
  expect(arrived.map(({ payload }) => (payload as { body: unknown }).body)).toEqual(
    expect.arrayContaining([{ n: 0 }, { n: 1 }, null]),
  )
  await expect(put({ org: undefined as never }, ordered)).rejects.toThrow('columns.tenant')
})

test('plain rows from before go out, or are ended where the definition refuses them', async () => {
  await empty()
  const plain = `insert into shop.letters (id, org, payload) values ($1, 'acme', '{"old": 1}')`
  await pool.query(plain, [uuid()])
  const sealed = await put({ payload: { new: 1 } })
  expect((await relay()).arrived).toHaveLength(2)
  const refused = uuid()
  await pool.query(plain, [refused])
  await pool.query(`update shop.letters set status = 'ready' where id = $1`, [sealed])
  expect((await relay(letters(ring, 'refuse'))).arrived.map(({ id }) => id)).toEqual([sealed])
  expect(await rowOf(refused)).toMatchObject({ status: 'dead', code: 'PAYLOAD_TAMPERED' })
})

test('a row that was changed, swapped or moved ends with its code; the others go on', async () => {
  await empty()
  const ids = []
  for (let n = 0; n < 6; n += 1) ids.push(await put({ payload: { n }, note: String(n) }))
  const [changed, swapped, moved, keyless, broken, good] = ids as [
    ...[string, string, string, string, string, string],
  ]
  const other = await put({ org: 'other', payload: {} })
  const set = (what: string, id: string, values: unknown[] = []) =>
    pool.query(`update shop.letters set ${what} where id = $1`, [id, ...values])
  await set(
    `payload = jsonb_set(payload, '{data}', to_jsonb(reverse(payload ->> 'data')))`,
    changed,
  )
  await set(`payload = (select payload from shop.letters where id = $2)`, swapped, [good])
  await set(`org = 'other'`, moved)
  await set(`payload = jsonb_set(payload, '{key}', to_jsonb($2::text))`, keyless, [uuid()])
  await set(`payload = payload - 'nonce'`, broken)
  const { arrived } = await relay()
  expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set([good, other]))
  for (const id of [changed, swapped, moved, keyless, broken]) {
    expect(await rowOf(id)).toMatchObject({ status: 'dead', code: 'PAYLOAD_TAMPERED' })
  }
  const { items } = await listAlerts(pool, { source: box.name, state: 'open' })
  expect(items).toHaveLength(5)
})

test('in order, nothing overtakes a message that cannot be read', async () => {
  await empty()
  const ids = []
  for (let n = 0; n < 3; n += 1) ids.push(await put({ payload: { n } }, ordered))
  await pool.query(`update shop.ordered set payload = payload - 'data' where id = $1`, [ids[1]])
  const { arrived } = await relay(ordered)
  expect(arrived.map(({ id }) => id)).toEqual([ids[0]])
  expect(await rowOf(ids[1]!, 'ordered')).toMatchObject({
    status: 'dead',
    code: 'PAYLOAD_TAMPERED',
  })
  expect(await rowOf(ids[2]!, 'ordered')).toMatchObject({ status: 'ready', attempts: 0 })
})

test('without its key a relay leaves messages, counts nothing and says so by one alert', async () => {
  await empty()
  const ids = await Promise.all([1, 2, 3].map((n) => put({ payload: { n } })))
  const stranger = letters(keyRing([SECRETS.next]))
  const { arrived, said } = await relay(stranger)
  expect(arrived).toEqual([])
  for (const id of ids) {
    expect(await rowOf(id)).toMatchObject({
      ...{ status: 'ready', attempts: 0, code: 'PAYLOAD_KEY_MISSING' },
    })
  }
  const alerts = async () => (await listAlerts(pool, { source: box.name, state: 'open' })).items
  expect(await alerts()).toMatchObject([{ subject: 'encryption', code: 'PAYLOAD_KEY_MISSING' }])
  expect(said.filter((line) => line.startsWith('no key for payloads'))).toHaveLength(1)
  expect(said.join()).not.toContain(SECRETS.first)
  await expect(put({ payload: {} }, stranger)).rejects.toMatchObject({
    code: 'PAYLOAD_KEY_MISSING',
  })
  expect(await listMasters(pool, keyRing([SECRETS.next]))).toMatchObject([
    { keys: expect.any(Number), problem: expect.stringContaining('no master key') },
  ])
  await pool.query(`update shop.letters set due_at = now()`)
  expect((await relay()).arrived).toHaveLength(3)
  expect(await alerts()).toEqual([])
})

test('a key service that is away for a while holds up its tenant alone', async () => {
  await empty()
  const away = new Set<string>()
  const service: MasterKeys = {
    wrap: (key, context) => ring.wrap(key, context),
    async unwrap(wrapped, context) {
      if ([...away].some((tenant) => context.endsWith(`\n${tenant}`))) throw new Error('away')
      return ring.unwrap(wrapped, context)
    },
  }
  for (const org of ['a', 'b']) await put({ org, payload: { org } })
  away.add('a')
  const outbox = letters(service)
  expect((await relay(outbox)).arrived).toMatchObject([{ tenant: 'b' }])
  away.clear()
  await pool.query(`update shop.letters set due_at = now()`)
  expect((await relay(outbox)).arrived).toMatchObject([{ tenant: 'a' }])
})

test('master and data keys are rotated under load, and nothing is lost', async () => {
  await empty()
  const both = keyRing([SECRETS.next, SECRETS.first])
  const transport = fakeTransport()
  const running = createRelay({
    ...{ pool, outboxes: [letters(both)], transports: { topics: transport }, mode: 'poll' },
    // What has arrived is sent once more below: it is not to be archived before.
    maintenance: 'off',
  })
  await running.start()
  const ids: string[] = []
  const write = async (outbox: typeof box) => {
    for (let n = 0; n < 40; n += 1)
      ids.push(await put({ org: `t${n % 3}`, payload: { n } }, outbox))
  }
  const rotate = async () => {
    for (let n = 0; n < 5; n += 1) {
      await transaction(pool, (tx) => rotateDataKey(tx, both, `t${n % 3}`))
      await rewrapDataKeys(pool, both)
    }
  }
  // Old processes know the first key alone, until all have the next.
  await write(box)
  await Promise.all([write(letters(both)), write(letters(both)), rotate()])
  await expect
    .poll(() => new Set(transport.arrived.map(({ id }) => id)).size, { timeout: 60_000 })
    .toBe(ids.length)
  await running.stop()
  await rewrapDataKeys(pool, both)
  const next = keyRing([SECRETS.next])
  expect(await listMasters(pool, next)).toMatchObject([{ problem: undefined }])
  await pool.query(`update shop.letters set status = 'ready', due_at = now()`)
  expect((await relay(letters(next))).arrived).toHaveLength(ids.length)
})

test('a shredded tenant is erased everywhere, and its messages end with a code', async () => {
  await empty()
  const sent = await put({ org: 'gone', payload: { to: SECRET } })
  await relay()
  await prune(pool, box)
  const waiting = await put({ org: 'gone', payload: { to: SECRET } })
  const other = await put({ org: 'stays', payload: { to: SECRET } })
  const request = { tenant: 'gone', by: 'ops', reason: 'left us' }
  const shred = () => transaction(pool, (tx) => shredTenant(tx, request))
  const hold = await transaction(pool, (tx) =>
    placeHold(tx, {}, { tenant: 'gone', kind: 'organisation', reason: 'court', by: 'ops' }),
  )
  expect(await shred()).toEqual({ kind: 'held' })
  await transaction(pool, (tx) =>
    releaseHold(tx, { id: 'hold' in hold ? hold.hold.id : '', by: 'ops', reason: 'over' }),
  )
  expect(await shred()).toEqual({ kind: 'shredded', keys: 1 })
  expect((await relay()).arrived.map(({ id }) => id)).toEqual([other])
  expect(await rowOf(waiting)).toMatchObject({ status: 'dead', code: 'PAYLOAD_SHREDDED' })
  for (const id of [sent, waiting]) {
    const reveal = { by: 'ops', reason: 'a look' }
    expect(await getMessage(pool, box, id)).toMatchObject({
      ...{ encryption: 'erased', row: { payload: '(erased)' } },
    })
    expect(await getMessage(pool, box, id, { reveal })).toMatchObject({ encryption: 'erased' })
  }
  const again = await put({ org: 'gone', payload: { to: 'a new start' } })
  expect((await relay()).arrived.map(({ id }) => id)).toEqual([again])
  const { rows } = await pool.query(
    `select actor, tenant, reason from posthorn.operation where operation = 'shred'`,
  )
  expect(rows).toEqual([{ actor: 'ops', tenant: 'gone', reason: 'left us' }])
})

test('a view covers what is encrypted; who reveals it is in the audit', async () => {
  await empty()
  const id = await put({ payload: { to: SECRET } })
  const covered = await getMessage(pool, box, id)
  expect(covered).toMatchObject({ encryption: 'encrypted', row: { payload: '(encrypted)' } })
  expect(JSON.stringify(viewMessage(box, covered!.row))).not.toContain('A256GCM')
  const reveal = { by: 'ada', reason: 'a complaint' }
  const revealed = await getMessage(pool, box, id, { reveal })
  expect(revealed).toMatchObject({ encryption: 'revealed', row: { payload: { to: SECRET } } })
  const { rows } = await pool.query(
    `select actor, subject, tenant, reason from posthorn.operation where operation = 'reveal' and reason = $1`,
    [reveal.reason],
  )
  expect(rows).toEqual([{ actor: 'ada', subject: id, tenant: 'acme', reason: 'a complaint' }])
})

test('a definition cannot encrypt what the engine reads, nor columns of other types', async () => {
  const wrong = (columns: readonly (keyof Letter)[]) => () => letters(ring, 'accept', columns)
  expect(wrong(['org'])).toThrow('encrypt.columns')
  expect(wrong(['dedupe_key'])).toThrow('encrypt.columns')
  expect(wrong([])).toThrow('encrypt.columns')
  const number = { ...box, encrypt: { ...box.encrypt!, columns: ['version'] } }
  const starting = createRelay({
    pool,
    outboxes: [number],
    transports: { topics: fakeTransport() },
  })
  await expect(starting.start()).rejects.toThrow('"version" is integer')
  await expect(put({ version: 1 }, number as typeof box)).rejects.toThrow('encrypt.columns')
})

import { beforeEach, describe, expect, test } from 'vitest'
import { searchAudit, type AuditEntry, type AuditOptions } from './audit.ts'
import {
  advanceClock,
  useMovableClock,
  pause,
  resume,
  maintain,
  cancel,
  replay,
  unblock,
} from '@posthorn/engine/internal'
import { type Outbox, enqueueAll, refused, createRelay, transaction, uuid } from '@posthorn/engine'
import { fakeTransport, testDatabase, viewTable } from '@posthorn/engine/testing'
import { clubEvents, outboundLetters, outboxTables } from '../../../engine/src/testing/outboxes.ts'

const db = await testDatabase({ sql: outboxTables })
await useMovableClock(db.pool)

beforeEach(async () => {
  await db.pool.query(
    'begin; set local session_replication_role = replica; truncate posthorn.transition, posthorn.operation; commit',
  )
})

/** Transitions a second apart, the last one now; `n` is in the id of each. */
async function writeEntries(count: number): Promise<void> {
  await db.pool.query(
    `insert into posthorn.transition
       (outbox, message_id, from_state, to_state, attempt, code, error, actor, tenant, at)
     select 'box.' || n % 2, 'm' || n, 'pending', case when n % 10 = 0 then 'failed' else 'sent' end, 1,
            case when n % 10 = 0 then 'BUSY' end, case when n % 10 = 0 then 'Try again' end,
            'RELAY', 'org' || n % 3, now() - ($1::int - n) * interval '1 s'
       from generate_series(1, $1::int) as n order by n`,
    [count],
  )
}

async function all(options: AuditOptions): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  let cursor: string | undefined
  for (let page = 0; page < 200; page += 1) {
    const { items, nextCursor } = await searchAudit(db.pool, {
      ...options,
      ...(cursor && { cursor }),
    })
    found.push(...items)
    if (nextCursor === undefined) return found
    cursor = nextCursor
  }
  throw new Error('the search does not end')
}

const subjects = (entries: readonly AuditEntry[]) =>
  entries.map((entry) => (entry.kind === 'transition' ? entry.messageId : entry.subject))
const newestFirst = (count: number, keep: (n: number) => boolean) =>
  Array.from({ length: count }, (_, i) => count - i)
    .filter(keep)
    .map((n) => `m${n}`)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

describe('a search', () => {
  test('of nothing at all', async () => {
    expect(await searchAudit(db.pool)).toEqual({ items: [], nextCursor: undefined })
    expect(await all({ since: ago(60), until: ago(30) })).toEqual([])
  })

  test('goes from the newest to the oldest, page by page', async () => {
    await writeEntries(25)
    const first = await searchAudit(db.pool, { limit: 10 })
    expect(subjects(first.items)).toEqual(newestFirst(25, (n) => n > 15))
    expect(subjects(await all({ limit: 10 }))).toEqual(newestFirst(25, () => true))
    expect(first.items[0]).toMatchObject({
      kind: 'transition',
      outbox: 'box.1',
      messageId: 'm25',
      from: 'pending',
      to: 'sent',
      attempt: 1,
      code: undefined,
      tenant: 'org1',
    })
  })

  const filters: [AuditOptions, (n: number) => boolean][] = [
    [{ outbox: 'box.0' }, (n) => n % 2 === 0],
    [{ messageId: 'm7' }, (n) => n === 7],
    [{ actor: 'RELAY' }, () => true],
    [{ actor: 'ada' }, () => false],
    [{ code: 'BUSY' }, (n) => n % 10 === 0],
    [{ code: 'BUSY', tenant: 'org0' }, (n) => n % 30 === 0],
    [{ toState: 'failed' }, (n) => n % 10 === 0],
    [{ search: 'try AGAIN' }, (n) => n % 10 === 0],
    [{ search: '%' }, () => false],
    [{ tenant: 'org2' }, (n) => n % 3 === 2],
    [{ kind: 'operation' }, () => false],
    [{ search: 'a\0b' }, () => false],
  ]
  test.each(filters)('by %o', async (filter, keep) => {
    await writeEntries(60)
    expect(subjects(await all({ ...filter, limit: 7 }))).toEqual(newestFirst(60, keep))
  })

  test('refuses a cursor that is none', async () => {
    await expect(searchAudit(db.pool, { cursor: 'x' })).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    })
  })

  test('finds just what lies between two times', async () => {
    await writeEntries(1_000)
    const { rows } = await db.pool.query<{ message_id: string; at: Date }>(
      `select message_id, at from posthorn.transition where message_id in ('m300', 'm400')`,
    )
    const timeOf = (id: string) => rows.find((row) => row.message_id === id)?.at
    const [since, until] = [timeOf('m300'), timeOf('m400')]
    if (!since || !until) throw new Error('no such rows')
    expect(subjects(await all({ since, until }))).toEqual(
      // JavaScript's dates end at the millisecond: m300 is a little later than asked for.
      newestFirst(1_000, (n) => n >= 300 && n < 400),
    )
    expect(await all({ since: ago(-60) })).toEqual([])
    expect(await all({ until: ago(3_600) })).toEqual([])
    expect(await all({ since: ago(3_600), until: ago(-60) })).toHaveLength(1_000)
  })

  test('for what is rare ends each page early, and goes on where it ended', async () => {
    await maintain(db.pool, [])
    await writeEntries(200_000)
    await db.pool.query(`update posthorn.transition set actor = 'ada' where message_id = 'm2'`)
    const first = await searchAudit(db.pool, { actor: 'ada' })
    expect(first).toEqual({ items: [], nextCursor: expect.any(String) })
    expect(subjects(await all({ actor: 'ada' }))).toEqual(['m2'])
    // Weeks of old partitions and a far time are passed over, not searched.
    const old = await searchAudit(db.pool, { actor: 'ada', until: ago(199_000) })
    expect(subjects(old.items)).toEqual(['m2'])
  })
})

describe('what operators do', () => {
  const fake = fakeTransport()
  fake.answer = () => refused({ code: 'NO', message: 'no' })

  test('is found beside what they did to messages, in one order', async () => {
    const view = viewTable(db.pool, outboundLetters as unknown as Outbox)
    await view.empty()
    const relay = createRelay({
      pool: db.pool,
      outboxes: [outboundLetters],
      transports: { topics: fake },
      mode: 'poll',
    })
    const row = { org_id: 'acme', idempotency_key: uuid(), channel: 'c', to_recipient: '+1' }
    const [message] = await transaction(db.pool, (tx) =>
      enqueueAll(tx, outboundLetters, [{ ...row, payload_json: {} }]),
    )
    for (let i = 0; i < 5; i += 1) await relay.runOnce()
    const id = message?.id ?? ''
    const by = 'ada'
    await transaction(db.pool, async (tx) => {
      await pause(tx, outboundLetters, { by, reason: 'T-1' })
      await replay(tx, outboundLetters, { filter: { ids: [id] }, by })
      await cancel(tx, outboundLetters, { ids: [id], by })
    })
    await transaction(db.pool, (tx) => resume(tx, outboundLetters, { by }))
    // Neither changes anything, and so neither leaves a trace.
    await transaction(db.pool, (tx) => resume(tx, outboundLetters, { by }))
    await transaction(db.pool, (tx) => unblock(tx, clubEvents, { key: 'none', by }))
    await advanceClock(db.pool, '2h', { actor: by })
    const found = await all({ actor: by, limit: 2 })
    expect(found.map((entry) => (entry.kind === 'operation' ? entry.operation : entry.to))).toEqual(
      ['advance-clock', 'resume', 'CANCELLED', 'QUEUED', 'pause'],
    )
    expect(found.map(({ outbox }) => outbox)).toEqual([
      undefined,
      ...Array(4).fill('letters.outbound'),
    ])
    expect(found.at(-1)).toMatchObject({ subject: 'letters.outbound', reason: 'T-1' })
    expect(found[0]).toMatchObject({ subject: '2h' })
    // Every entry of a message has its tenant, by every actor.
    const history = await all({ messageId: id })
    expect(history.map(({ tenant }) => tenant)).toEqual(history.map(() => 'acme'))
    expect(history.length).toBeGreaterThanOrEqual(4)
    expect(await all({ kind: 'operation', since: ago(60), until: ago(-60) })).toHaveLength(3)
  })

  test('is not lost between transitions when a time is given', async () => {
    await db.pool.query(`
      insert into posthorn.transition (outbox, message_id, to_state, actor, at)
      values ('box', 'before', 'sent', 'RELAY', now() - interval '3 h');
      insert into posthorn.operation (operation, subject, actor, at)
      values ('pause', 'between', 'ada', now() - interval '2 h');
      insert into posthorn.transition (outbox, message_id, to_state, actor, at)
      values ('box', 'after', 'sent', 'RELAY', now() - interval '1 h');
      insert into posthorn.operation (operation, subject, actor) values ('pause', 'last', 'ada')`)
    expect(subjects(await all({ since: ago(9_000), until: ago(5_400) }))).toEqual(['between'])
    expect(subjects(await all({ since: ago(60) }))).toEqual(['last'])
    expect(subjects(await all({ until: ago(-60) }))).toEqual(['last', 'after', 'between', 'before'])
  })
})

import { randomUUID } from 'node:crypto'
import { advanceClock, sealAudits, useMovableClock, verifyAudits } from '@posthorn/engine/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { loadSystems } from '../systems.ts'
import { testServer } from '../testing/test-server.ts'

const systems = await loadSystems({})
const database = await testDatabase()
const server = await testServer(database, { systems })
const { pool } = database

interface Entry {
  readonly action: string
  readonly entityId: string
  readonly at: string
  readonly businessAt: string | null
}

async function entries(query: string): Promise<{ items: Entry[]; nextCursor: string | null }> {
  const { status, body } = await server.call(`/api/v1/audit/entries?${query}`)
  expect(status).toBe(200)
  return body as unknown as { items: Entry[]; nextCursor: string | null }
}

async function noteInPayments(id: string, org = 'demo'): Promise<void> {
  await pool.query(`select payments.create_audit_log($1, 'ada', 'noted', 'thing', $2)`, [org, id])
}

async function noteInMessages(id: string): Promise<void> {
  await pool.query(
    `insert into messages.audit_event (id, org_id, entity_type, entity_id, action, details, actor)
     values ($1, 'demo', 'DOSSIER', $2, 'noted', '{}', 'ada')`,
    [randomUUID(), id],
  )
}

test('entries of all audits are listed by when they happened, however the clock was moved', async () => {
  await useMovableClock(pool)
  await advanceClock(pool, '6h')
  await noteInPayments('first')
  await noteInMessages('second')
  await noteInPayments('third')
  await noteInMessages('fourth')
  const { items } = await entries('action=noted')
  expect(items.map(({ entityId }) => entityId)).toEqual(['fourth', 'third', 'second', 'first'])
  for (const { at } of items) expect(Date.now() - Date.parse(at)).toBeLessThan(60_000)
  const ahead = items.map(({ at, businessAt }) =>
    businessAt === null ? null : Math.round((Date.parse(businessAt) - Date.parse(at)) / 3_600_000),
  )
  expect(ahead).toEqual([null, 6, null, 6])
  const past = new Date(Date.now() - 60_000).toISOString()
  const later = new Date(Date.now() + 60_000).toISOString()
  expect((await entries(`action=noted&since=${past}&until=${later}`)).items).toHaveLength(4)
})

test('pages leave nothing out where numbers and times of transactions are crossed', async () => {
  const slow = await pool.connect()
  try {
    await slow.query('begin')
    await noteInPayments('quick')
    await slow.query(`select payments.create_audit_log('demo', 'ada', 'crossed', 'thing', 'slow')`)
    await slow.query('commit')
  } finally {
    slow.release()
  }
  await pool.query(`select payments.create_audit_log('demo', 'ada', 'crossed', 'thing', 'last')`)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { items, nextCursor }: Awaited<ReturnType<typeof entries>> = await entries(
      `entityType=thing&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    seen.push(...items.map(({ entityId }) => entityId))
    cursor = nextCursor
  }
  expect(seen).toEqual(['last', 'slow', 'quick', 'third', 'first'])
})

test('the real time is sealed, and seals of before it hold', async () => {
  const before = `array_remove(public_columns, 'recorded_at')`
  await pool.query(
    `update posthorn.audit_table set public_columns = ${before} where name = 'payments.audit_log'`,
  )
  await noteInPayments('of before', 'other')
  await sealAudits(pool)
  await pool.query(`update posthorn.audit_table
                       set public_columns = public_columns || array['recorded_at']
                     where name = 'payments.audit_log'`)
  await noteInPayments('changed', 'other')
  await sealAudits(pool)
  expect((await verifyAudits(pool)).findings).toEqual([])
  await pool.query(`begin; set local session_replication_role = replica;
    update payments.audit_log set recorded_at = recorded_at - interval '1 day' where org_id = 'other';
    commit`)
  // The first as well, if its seal had covered the column.
  expect((await verifyAudits(pool)).findings).toMatchObject([{ kind: 'changed' }])
})

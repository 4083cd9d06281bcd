import { proxyTo } from '@posthorn/engine/testing'
import type { Statement } from '@posthorn/engine'
import { Pool } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createCommands } from './commands.ts'
import { familyEvents, familyOutbox } from './outbox.ts'
import { familyDatabase, newAddress, runFamilies, sealing } from './testing/running.ts'

const db = await familyDatabase()
const line = await proxyTo(db.url)
const pool = new Pool({ connectionString: line.by(db.url), max: 4 })
pool.on('error', () => undefined)
const commands = createCommands(pool, familyEvents(familyOutbox(sealing), sealing))
// First, and so the last to run: the server needs its pool until it is closed.
afterAll(async () => {
  await pool.end()
  line.cut()
})
const running = await runFamilies({ pool })

const ada = { sub: 'ada', org: 'acme' }

async function tokenOf(invitationId: string): Promise<string> {
  const { rows } = await db.pool.query<{ id: string; sealed: string }>(
    `select event_id as id, payload #>> '{token,value}' as sealed
       from families.outbox_events where aggregate_id = $1`,
    [invitationId],
  )
  return sealing.open(rows[0]?.sealed ?? '', rows[0]?.id ?? '')
}

async function countOf(table: string): Promise<number> {
  const { rows } = await db.pool.query(`select count(*)::int as count from families.${table}`)
  return Number(rows[0]?.count)
}

test.each(['before', 'after'] as const)(
  'what was cut off %s its commit is done, and done once',
  async (when) => {
    const before = await Promise.all(['families', 'outbox_events'].map(countOf))
    line.cutNextCommit(when)
    const { value: family } = await commands.create(ada, { name: 'Addams' })
    expect(family?.version).toBe(1)
    line.cutNextCommit(when)
    const invited = { familyId: family?.id ?? '', email: newAddress(), role: 'MEMBER' } as const
    const { value: invitation } = await commands.invite(ada, invited)
    expect(invitation?.state.status).toBe('PENDING')
    const after = await Promise.all(['families', 'outbox_events'].map(countOf))
    expect(after.map((count, i) => count - (before[i] ?? 0))).toEqual([1, 2])
    expect((await commands.invite(ada, invited)).refusal?.code).toBe('ALREADY_INVITED')
  },
)

test('who has joined between a look and the next is not invited once more', async () => {
  const { value: family } = await commands.create(ada, { name: 'Addams' })
  const invited = { familyId: family?.id ?? '', email: newAddress(), role: 'MEMBER' } as const
  const { value: invitation } = await commands.invite(ada, invited)
  const token = await tokenOf(invitation?.id ?? '')
  let joined = false
  const events = familyEvents(familyOutbox(sealing), sealing)
  // The family has been loaded by now, and the open invitation is still to be looked for.
  const query = async (statement: Statement) => {
    if (!joined && statement.text.includes('expires_at > posthorn.now()')) {
      joined = true
      await commands.accept({ sub: 'bob', org: 'acme' }, token)
    }
    return db.pool.query(statement)
  }
  const interrupted = Object.assign(Object.create(db.pool) as Pool, { query })
  const again = await createCommands(interrupted, events).invite(ada, invited)
  expect(joined).toBe(true)
  expect(again.refusal?.code).toBe('ALREADY_MEMBER')
})

test('without a database the answer is 503, and says when to come again', async () => {
  const client = await running.as({})
  const query = 'mutation { createFamily(input: { name: "X" }) { family { id } } }'
  expect((await client.ask(query)).status).toBe(200)
  line.cut()
  const { status, headers, data, errors } = await client.ask(query)
  expect({ status, data }).toEqual({ status: 503, data: { createFamily: null } })
  expect(headers.get('retry-after')).toBe('2')
  expect(errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }])
  await line.heal()
  expect((await client.ask(query)).status).toBe(200)
})

// What `posthorn sql` prints, applied by the tools that people apply their migrations with.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { posthorn, silentLog, type StandardOutbox } from '@posthorn/engine'
import { fakeTransport, testDatabase } from '@posthorn/engine/testing'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EXIT } from './exit.ts'
import { outboxes } from './testing/outboxes.ts'
import { posthornHere } from './testing/posthorn.ts'
import { drizzleKit } from './testing/tools/drizzle.ts'
import { knexMigrate } from './testing/tools/knex.ts'
import { nodePgMigrate } from './testing/tools/node-pg-migrate.ts'
import { prisma } from './testing/tools/prisma.ts'
import type { Migration, MigrationTool } from './testing/tools/tool.ts'
import { typeOrm } from './testing/tools/typeorm.ts'

const CONFIG = fileURLToPath(new URL('./testing/outboxes.ts', import.meta.url))
const server = await testDatabase()

const print = async (...args: string[]) =>
  (await posthornHere(['sql', '--config', CONFIG, ...args])).stdout
const whole = await print()
const later = await print('--since', '0018')
/** What the version with `0018` as its last step printed. */
const former =
  whole.slice(0, whole.indexOf('-- engine/0019')) +
  // Registered by the first relay: the line that does it here names a column of a later step.
  whole
    .slice(whole.indexOf('create schema if not exists market'))
    .replaceAll(/^insert into posthorn\.outbox [^;]*;$/gm, '')
/** What the text says to run before, outside a transaction. */
const [apart = ''] = [...later.matchAll(/^-- {3}(create index concurrently .*;)$/gm)].map(
  ([, statement]) => statement,
)

/** An empty database, and how the tool migrates it. */
async function openEmpty(tool: MigrationTool) {
  const name = `posthorn_tool_${randomBytes(6).toString('hex')}`
  await server.pool.query(`create database ${name}`)
  const at = new URL(server.url)
  at.pathname = `/${name}`
  const url = at.href
  const pool = new Pool({ connectionString: url })
  onTestFinished(async () => {
    await pool.end()
    await server.pool.query(`drop database ${name} with (force)`)
  })
  const apply = async (...migrations: Migration[]) => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-tool-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await tool.apply({ url, folder }, migrations)
  }
  const check = async () => {
    const args = ['migrate', 'status', '--check', '--config', CONFIG]
    return (await posthornHere(args, { DATABASE_URL: url })).code
  }
  return { pool, apply, check }
}

async function deliverOne(pool: Pool): Promise<unknown[]> {
  const [events] = outboxes as unknown as [StandardOutbox<{ 'order.placed': { order: number } }>]
  const transport = fakeTransport()
  const transports = { handlers: transport }
  const horn = posthorn({ pool, outboxes: [events], transports, log: silentLog })
  await horn.transaction((tx) => events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7' }))
  for (let i = 0; i < 5 && transport.arrived.length === 0; i += 1) await horn.tick()
  await horn.stop()
  return transport.arrived.map(({ payload }) => payload)
}

describe.each([drizzleKit, prisma, nodePgMigrate, knexMigrate, typeOrm])('$name', (tool) => {
  test('sets up an empty database, on which an outbox works', async () => {
    const { pool, apply, check } = await openEmpty(tool)
    await apply({ name: '20260101000000_posthorn', sql: whole })
    expect(await check()).toBe(EXIT.ok)
    expect(await deliverOne(pool)).toEqual([{ order: 7 }])
    // Nothing is new: the tool notes what it applied.
    await apply({ name: '20260101000000_posthorn', sql: whole })
  })

  test('brings the database of an earlier version up to date, in a later migration', async () => {
    const { pool, apply, check } = await openEmpty(tool)
    const first = { name: '20260101000000_posthorn', sql: former }
    await apply(first)
    expect(await check()).toBe(EXIT.negative)
    const migrations: Migration[] = [first]
    if (tool.canRunApart) {
      const name = '20260201000000_posthorn_indexes'
      migrations.push({ name, sql: apart, transaction: 'none' })
      await apply(...migrations)
      const { rows } = await pool.query(
        `select indisvalid from pg_index where indexrelid = 'posthorn.alert_standing'::regclass`,
      )
      expect(rows).toEqual([{ indisvalid: true }])
    }
    await apply(...migrations, { name: '20260201000001_posthorn', sql: later })
    expect(await check()).toBe(EXIT.ok)
    expect(await deliverOne(pool)).toEqual([{ order: 7 }])
  })
})

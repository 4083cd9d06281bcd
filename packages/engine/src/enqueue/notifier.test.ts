import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { enqueue } from './enqueue.ts'
import { delivered, refused } from '../outbox/outcome.ts'
import { createRelay } from '../relay/relay.ts'
import { fakeTransport, testDatabase, viewTable } from '../testing/index.ts'
import type { Outbox } from '../outbox/define.ts'
import { parcelRows, outboxTables } from '../testing/outboxes.ts'
import { transaction } from '../database/transaction.ts'
import { uuid } from '../uuid.ts'

const db = await testDatabase({ sql: outboxTables })

/** What a command line does: it replays, says so, and is gone. */
const COMMAND = `
const { transaction } = await import(process.env.ENGINE)
const { replay, wakeAllRelays } = await import(process.env.OPERATE)
const { parcelRows } = await import(process.env.OUTBOXES)
const { Pool } = (await import(process.env.PG)).default
const pool = new Pool({ connectionString: process.env.URL })
const ids = await transaction(pool, (tx) => replay(tx, parcelRows, { filter: {}, by: 'ada' }))
await wakeAllRelays(pool)
console.log(ids.length)
await pool.end()
`

test('a short-lived process wakes the relays elsewhere after its replay', async () => {
  const fake = fakeTransport()
  fake.answer = () => refused({ code: 'NO', message: 'no' })
  // It looks by itself every two minutes only.
  const relay = createRelay({
    pool: db.pool,
    outboxes: [parcelRows],
    transports: { topics: fake },
  })
  const view = viewTable(db.pool, parcelRows as unknown as Outbox)
  await relay.start()
  try {
    const { id } = await transaction(db.pool, (tx) =>
      enqueue(tx, parcelRows, { tour_id: uuid(), address_id: 'c' }),
    )
    await expect.poll(async () => (await view.states()).get(id)).toBe('ERROR')
    fake.answer = () => delivered()
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', COMMAND],
      {
        env: {
          ...process.env,
          URL: db.url,
          ENGINE: fileURLToPath(new URL('../index.ts', import.meta.url)),
          OPERATE: fileURLToPath(import.meta.resolve('@posthorn/operate')),
          OUTBOXES: fileURLToPath(new URL('../testing/outboxes.ts', import.meta.url)),
          PG: import.meta.resolve('pg'),
        },
        timeout: 20_000,
      },
    )
    expect(stdout.trim()).toBe('1')
    await expect.poll(async () => (await view.states()).get(id)).toBe('PUBLISHED')
  } finally {
    await relay.stop()
  }
})

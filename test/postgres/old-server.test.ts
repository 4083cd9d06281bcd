import { engineMigrations, migrate, outbox, posthorn, silentLog } from '@posthorn/engine'
import { temporaryPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { postgresPrograms } from '../../scripts/services/index.mjs'

const programs = await postgresPrograms('13')
const server = await temporaryPostgres({
  ...(programs && { programs }),
  settings: { fsync: 'off' },
})
const pool = new Pool({ connectionString: server.url })
afterAll(async () => {
  await pool.end()
  await server.close()
})

test('PostgreSQL 13 is refused by name, by the migrations and by their SQL', async () => {
  const tooOld = /PostgreSQL 13\.\d+, and 14 or newer is needed/
  const refused = { code: 'POSTGRES_TOO_OLD', message: expect.stringMatching(tooOld) as string }
  await expect(migrate(pool, [await engineMigrations()])).rejects.toMatchObject(refused)
  const app = posthorn({ pool, outboxes: [outbox('shop.outbox')], log: silentLog })
  await expect(app.setUp()).rejects.toMatchObject(refused)
  await expect(pool.query(await app.sql())).rejects.toThrow(
    /^Posthorn needs PostgreSQL 14 or newer, and this is 13\.\d+$/,
  )
})

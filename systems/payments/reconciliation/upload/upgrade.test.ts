import { migrate, migrationsFrom } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'

const all = await migrationsFrom('payments', new URL('../../migrations/', import.meta.url))
const before = { ...all, migrations: all.migrations.filter(({ id }) => id < '0008') }
const db = await testDatabase({ migrations: [before] })

test('a file that two members uploaded while runs were their own is one of them from now on', async () => {
  for (const [id, user, org] of [
    ['00000000-0000-7000-8000-000000000001', 'ada', 'acme'],
    ['00000000-0000-7000-8000-000000000002', 'bob', 'acme'],
    ['00000000-0000-7000-8000-000000000003', 'eve', 'other'],
  ]) {
    await db.pool.query(
      `insert into payments.reconciliation_runs
              (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
       values ($1, $2, $3, 'bank.csv', sha256('same'), 1, 1, 1, '{}')`,
      [id, org, user],
    )
  }
  await migrate(db.pool, [all])
  const { rows } = await db.pool.query(
    `select user_id, format, copy_of from payments.reconciliation_runs order by id`,
  )
  expect(rows).toEqual([
    { user_id: 'ada', format: 'csv', copy_of: null },
    { user_id: 'bob', format: 'csv', copy_of: '00000000-0000-7000-8000-000000000001' },
    { user_id: 'eve', format: 'csv', copy_of: null },
  ])
})

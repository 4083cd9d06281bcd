import postgres, { type TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/index.ts'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromPostgres } from './postgres.ts'

async function open(url: string): Promise<OpenClient<TransactionSql>> {
  const sql = postgres(url, { max: 10, onnotice: () => undefined })
  return {
    transaction: async (work) =>
      (await sql.begin((tx) => work(tx))) as Awaited<ReturnType<typeof work>>,
    nest: async (tx, work) =>
      (await tx.savepoint((inner) => work(inner))) as Awaited<ReturnType<typeof work>>,
    insert: async (tx, id) =>
      tx`insert into public.thing (consumer, event_id) values ('caller', ${id})`,
    things: async (tx) =>
      (await tx<{ event_id: string }[]>`select event_id from public.thing`).map(
        (row) => row.event_id,
      ),
    plain: [sql],
    close: () => sql.end(),
  }
}

adapterConformance('postgres.js', fromPostgres, open)

const db = await testDatabase()

test('a client that renames columns is refused', async () => {
  const sql = postgres(db.url, { max: 1, transform: postgres.camel })
  const used = sql.begin((tx) => fromPostgres(tx).query({ text: 'select 1', values: [] }))
  await expect(used).rejects.toMatchObject({ code: 'DEFINITION_INVALID' })
  await sql.end()
})

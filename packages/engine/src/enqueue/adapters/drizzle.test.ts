import { drizzle as onPg } from 'drizzle-orm/node-postgres'
import { pgTable, text, uuid, type PgDatabase, type PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as onPostgresJs } from 'drizzle-orm/postgres-js'
import { Pool } from 'pg'
import postgres from 'postgres'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromDrizzle } from './drizzle.ts'

const thing = pgTable('thing', { consumer: text().notNull(), eventId: uuid('event_id').notNull() })

type Db = PgDatabase<PgQueryResultHKT>
type Tx = Parameters<Parameters<Db['transaction']>[0]>[0]

function openClient(db: Db, close: () => Promise<unknown>): OpenClient<Tx> {
  return {
    transaction: (work) => db.transaction(work),
    nest: (tx, work) => tx.transaction(work),
    insert: (tx, id) => tx.insert(thing).values({ consumer: 'caller', eventId: id }).execute(),
    things: async (tx) => (await tx.select().from(thing)).map((row) => row.eventId),
    plain: [db],
    close,
  }
}

adapterConformance('drizzle on node-postgres', fromDrizzle, async (url) => {
  const pool = new Pool({ connectionString: url })
  return openClient(onPg(pool), () => pool.end())
})

adapterConformance('drizzle on postgres-js', fromDrizzle, async (url) => {
  const sql = postgres(url, { max: 10, onnotice: () => undefined })
  return openClient(onPostgresJs(sql), () => sql.end())
})

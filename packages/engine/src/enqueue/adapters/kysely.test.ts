import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  sql,
  type ControlledTransaction,
  type Transaction,
} from 'kysely'
import { Pool } from 'pg'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromKysely } from './kysely.ts'

interface Tables {
  'public.thing': { consumer: string; eventId: string }
}

const client = (url: string) =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
    // It renames the columns of every result.
    plugins: [new CamelCasePlugin()],
    log: () => undefined,
  })

const rows = {
  insert: (trx: Transaction<Tables>, id: string) =>
    trx.insertInto('public.thing').values({ consumer: 'caller', eventId: id }).execute(),
  things: async (trx: Transaction<Tables>) =>
    (await trx.selectFrom('public.thing').select('eventId').execute()).map((row) => row.eventId),
}

async function open(url: string): Promise<OpenClient<Transaction<Tables>>> {
  const db = client(url)
  return {
    ...rows,
    transaction: (work) => db.transaction().execute(work),
    // Without controlled transactions a savepoint is a statement.
    async nest(trx, work) {
      await sql`savepoint nested`.execute(trx)
      try {
        return await work(trx)
      } catch (error) {
        await sql`rollback to savepoint nested`.execute(trx)
        throw error
      }
    },
    plain: [db],
    close: () => db.destroy(),
  }
}

async function openControlled(url: string): Promise<OpenClient<ControlledTransaction<Tables>>> {
  const db = client(url)
  return {
    ...rows,
    async transaction(work) {
      const trx = await db.startTransaction().execute()
      try {
        const result = await work(trx)
        await trx.commit().execute()
        return result
      } catch (error) {
        await trx.rollback().execute()
        throw error
      }
    },
    async nest(trx, work) {
      const inner = await trx.savepoint('nested').execute()
      try {
        return await work(inner)
      } catch (error) {
        await inner.rollbackToSavepoint('nested').execute()
        throw error
      }
    },
    plain: [db],
    close: () => db.destroy(),
  }
}

adapterConformance('kysely', fromKysely, open)
adapterConformance('kysely, controlled', fromKysely, openControlled)

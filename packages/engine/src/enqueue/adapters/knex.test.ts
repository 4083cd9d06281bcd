import { knex, type Knex } from 'knex'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromKnex } from './knex.ts'

async function open(url: string): Promise<OpenClient<Knex.Transaction>> {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 } })
  return {
    transaction: (work) => db.transaction(work),
    nest: (trx, work) => trx.transaction(work),
    insert: async (trx, id) => trx('public.thing').insert({ consumer: 'caller', event_id: id }),
    things: async (trx) => trx('public.thing').pluck('event_id'),
    plain: [db],
    close: () => db.destroy(),
  }
}

adapterConformance('knex', fromKnex, open)

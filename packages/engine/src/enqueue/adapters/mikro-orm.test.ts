import { EntitySchema, MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromMikroOrm } from './mikro-orm.ts'

const Thing = new EntitySchema<{ consumer: string; eventId: string }>({
  name: 'Thing',
  tableName: 'thing',
  properties: {
    consumer: { type: 'text', primary: true },
    eventId: { type: 'uuid', primary: true },
  },
})

async function open(clientUrl: string): Promise<OpenClient<SqlEntityManager>> {
  const orm = await MikroORM.init({ clientUrl, entities: [Thing], pool: { min: 0, max: 10 } })
  return {
    transaction: (work) => orm.em.fork().transactional(work),
    nest: (em, work) => em.transactional(work),
    insert: (em, id) => em.insert(Thing, { consumer: 'caller', eventId: id }),
    things: async (em) => (await em.find(Thing, {})).map((row) => row.eventId),
    plain: [orm.em, orm.em.fork()],
    // Inside of `transactional` every manager is in that transaction.
    reusable: true,
    close: () => orm.close(),
  }
}

adapterConformance('mikro-orm', fromMikroOrm, open)

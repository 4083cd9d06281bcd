import { DataSource, EntitySchema, type EntityManager } from 'typeorm'
import {
  adapterConformance,
  type OpenClient,
} from '../../testing/conformance/adapter-conformance.ts'
import { fromTypeOrm } from './typeorm.ts'

const thing = new EntitySchema<{ consumer: string; event_id: string }>({
  name: 'thing',
  schema: 'public',
  columns: {
    consumer: { type: 'text', primary: true },
    event_id: { type: 'uuid', primary: true },
  },
})

async function open(url: string): Promise<OpenClient<EntityManager>> {
  const source = new DataSource({ type: 'postgres', url, entities: [thing] })
  await source.initialize()
  return {
    transaction: (work) => source.transaction(work),
    nest: (manager, work) => manager.transaction(work),
    insert: (manager, id) => manager.insert(thing, { consumer: 'caller', event_id: id }),
    things: async (manager) => (await manager.find(thing)).map((row) => row.event_id),
    plain: [source.manager, source.createQueryRunner().manager],
    close: () => source.destroy(),
  }
}

adapterConformance('typeorm', fromTypeOrm, open)

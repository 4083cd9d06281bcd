import type { MigrationSet } from '@posthorn/engine'
import { outboxes } from './outboxes.ts'

const migrations: MigrationSet = {
  name: 'stalls',
  migrations: [
    {
      id: '0001_stalls',
      sql: 'create schema stalls; create table stalls.stall (id int primary key, city text);',
      checksum: 'stalls',
    },
    {
      id: '0002_cities',
      sql: '-- concurrently\ncreate index concurrently if not exists stall_city on stalls.stall (city);\n',
      checksum: 'cities',
    },
  ],
}

/** For POSTHORN_CONFIG: outboxes, and a system whose second step builds an index next to writers. */
export { outboxes }
export const systems = [
  {
    name: 'stalls',
    settings: { type: 'object', properties: {}, required: [] },
    migrations: () => Promise.resolve(migrations),
    usesTopics: false,
    open: () => ({ outboxes: [] }),
  },
]

import {
  delivered,
  outbox,
  refused,
  transaction,
  type Delivery,
  type Outbox,
} from '@posthorn/engine'
import { tablesOf } from '@posthorn/engine/internal'
import { callerOf } from '@posthorn/http'
import { defineSimulator } from '@posthorn/simulators'
import { defineSystem, type System } from '@posthorn/system'
import { incidents } from '@posthorn/incidents'
import { Type } from 'typebox'
import { findParcels, followParcels, searchParcels } from './queries.ts'

const parcels = outbox<{ 'parcel.sent': { to: string; by: string } }>('post.parcels', {
  label: ['payload.to'],
  attempts: 3,
  destination: { transport: 'carrier', topic: 'parcels' },
})

/** Where a person can be named: what an erasure looks through. */
const PERSONAL = `comment on column post.parcels.payload is 'personal';`

/** Knows every address but one. */
const carrier = {
  async deliver(batch: readonly Delivery[]) {
    return batch.map(({ message: { payload } }) =>
      (payload as { to: string }).to.startsWith('nowhere')
        ? refused({ code: 'NO_SUCH_ADDRESS', message: 'nobody lives there' })
        : delivered(),
    )
  },
  close: async () => undefined,
}

/** A system for tests of the operators' pages: parcels, of which those to nowhere are dead letters. */
const post = defineSystem({
  name: 'post',
  settings: Type.Object({}),
  migrations: async () => {
    const tables = tablesOf([parcels as unknown as Outbox]).join('\n')
    const sql = `${tables}\n${PERSONAL}`
    return { name: 'post', migrations: [{ id: '0001_post', sql, checksum: 'test' }] }
  },
  open: ({ pool }) => ({
    outboxes: [parcels],
    transports: { carrier },
    simulators: [
      defineSimulator({ name: 'carrier', about: 'Delivers parcels.', open: () => ({}) }),
    ],
    audits: [{ name: 'post', search: searchParcels }],
    searches: [findParcels],
    follows: [followParcels],
    retention: {
      classes: [
        {
          name: 'post.parcels',
          title: 'Parcels that arrived',
          keep: '90d',
          least: '7d',
          personal: true,
          leaves: 'Nothing.',
          rules: [
            {
              ...{ table: 'post.parcels', key: ['id'], uuid: 'id', dated: 't.finished_at' },
              when: `t.status = 'sent'`,
              org: 't.tenant',
            },
          ],
        },
      ],
      personal: [
        {
          table: 'post.parcels',
          key: ['id'],
          org: 't.tenant',
          busy: `t.status = 'pending'`,
        },
      ],
    },
    routes(app) {
      const body = Type.Object({ to: Type.String() })
      app.post('/api/v1/parcels', { schema: { body } }, async (request, reply) => {
        const { org: tenant, sub: by } = callerOf(request)
        const { id } = await transaction(pool, (tx) =>
          parcels.enqueue(tx, 'parcel.sent', { to: request.body.to, by }, { tenant }),
        )
        return reply.code(202).send({ id })
      })
    },
  }),
})

const server = new URL('../../../server/src/testing/', import.meta.url)

/** The systems that the server's own tests have. */
export async function testSystems(file: string): Promise<readonly System[]> {
  return ((await import(new URL(file, server).href)) as { systems: readonly System[] }).systems
}

/** What the operators' pages are tested with. */
export const EXAMPLE: readonly System[] = [
  ...(await testSystems('greetings/index.ts')),
  post,
  incidents,
]

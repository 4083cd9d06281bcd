// A trip: two bookings side by side and a person's word; without it everything is undone.
import { awaitSaga, defineSaga, refuse, sagaEvents, sagas, startSaga } from '@posthorn/saga'
import { postgresTransport, topicMigrations } from '@posthorn/transports/postgres'
import { Pool } from 'pg'

const trip = defineSaga<{ to: string }>('trip')
  .parallel({
    air: (branch) =>
      branch.step('flight', {
        action: async ({ to }) => ({ data: { seat: `12A to ${to}` } }),
        compensate: async ({ seat }) => ({ events: [{ type: 'returned', payload: { seat } }] }),
      }),
    ground: (branch) => branch.step('hotel', { action: async () => ({ data: { room: 7 } }) }),
  })
  .signal('approved', {
    parse: Boolean,
    action: async (_trip, _tx, { received }) =>
      received.payload ? {} : refuse('NOT_APPROVED', 'the boss said no'),
  })
  .step('book', { action: async ({ seat, room }) => ({ data: { note: `${seat}, room ${room}` } }) })

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = sagaEvents({ transport: 'topics', topic: 'trips' })
const flow = sagas(pool, [trip], { events, transports: { topics: postgresTransport({ pool }) } })
await (await flow.setUp(await topicMigrations())).start()
for (const payload of [true, false]) {
  const start = { key: `trip ${payload}`, input: { to: 'Rome' } }
  const { id } = await flow.transaction((tx) => startSaga(tx, trip, start))
  await flow.transaction((tx) => flow.signal(tx, { sagaId: id, name: 'approved', payload }))
  const ended = await awaitSaga<{ note: string }>(pool, id)
  console.log(ended.status, ended.status === 'COMPLETED' ? ended.context.note : ended.error.code)
}

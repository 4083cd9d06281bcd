import { delivered, outbox, tablesOf, type Outbox } from '@posthorn/engine'

const message = () => ({ type: 'chore.due', payload: {} })

export const chores = outbox('house.chores', {
  destination: { transport: 'sink', topic: 'chores' },
  recurring: {
    report: { cron: '0 6 * * MON-FRI', timeZone: 'Europe/Zurich', message },
    sweep: { every: '1h', missed: 'skip', message },
  },
})

const sink = {
  deliver: async (batch: readonly unknown[]) => batch.map(() => delivered()),
  close: async () => undefined,
}

/** For POSTHORN_CONFIG: a system whose outbox gives itself messages. */
export const systems = [
  {
    name: 'house',
    settings: { type: 'object', properties: {}, required: [] },
    migrations: async () => {
      const sql = tablesOf([chores as unknown as Outbox]).join('\n')
      return { name: 'house', migrations: [{ id: '0001_house', sql, checksum: 'test' }] }
    },
    open: () => ({ outboxes: [chores], transports: { sink } }),
  },
]

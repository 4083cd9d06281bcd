import type { System } from '@posthorn/system'
import { Type } from 'typebox'
import { delivered, outbox, type Outbox } from '@posthorn/engine'
import { tablesOf } from '@posthorn/engine/internal'

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

/** A system whose outbox gives itself messages. */
export const systems: readonly System[] = [
  {
    name: 'house',
    settings: Type.Object({}),
    migrations: async () => {
      const sql = tablesOf([chores as unknown as Outbox]).join('\n')
      return { name: 'house', migrations: [{ id: '0001_house', sql, checksum: 'test' }] }
    },
    open: () => ({ outboxes: [chores], transports: { sink } }),
  },
]

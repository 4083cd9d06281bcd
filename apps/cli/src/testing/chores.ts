import { outbox, type Outbox } from '@posthorn/engine'

const destination = { transport: 'sink', topic: 'chores' }
const message = () => ({ type: 'chore.due', payload: {} })

/** For POSTHORN_CONFIG: outboxes that give themselves messages. */
export const outboxes = [
  outbox('house.chores', {
    destination,
    recurring: {
      report: { cron: '0 6 * * *', timeZone: 'Europe/Zurich', message },
      sweep: { every: '1h', missed: 'skip', message },
      broken: {
        every: '1d',
        message: () => {
          throw new Error('no exchange rate')
        },
      },
    },
  }),
  outbox('garden.chores', { destination, recurring: { sweep: { every: '2h', message } } }),
] as unknown as readonly Outbox[]

import {
  DeliveryError,
  createRelay,
  defineOutbox,
  delivered,
  engineMigrations,
  enqueue,
  enqueueAll,
  exponential,
  migrate,
  outboxTableSql,
  refused,
  retryLater,
  transaction,
  type Delivery,
  type Outcome,
  type Transport,
} from '@posthorn/engine'
import { pause } from '@posthorn/operate'
import { sagaMigrations } from '@posthorn/saga'
import type { Pool } from 'pg'

/*
 * The two outboxes that the pages for operators speak of, and a database in which everything that
 * they describe has happened.
 */

interface ShopEvent {
  id: string
  type: string
  payload: unknown
  status: string
  attempts: number
  due_at: Date
  error: string | null
  error_code: string | null
  created_at: Date
  sent_at: Date | null
}

const COLUMNS = {
  dueAt: 'due_at',
  createdAt: 'created_at',
  sentAt: 'sent_at',
  finishedAt: 'sent_at',
  error: 'error',
  errorCode: 'error_code',
  type: 'type',
} as const

const STATES = {
  ready: 'pending',
  retry: 'failed',
  sent: 'sent',
  dead: 'dead',
  cancelled: 'cancelled',
} as const

/** By row. */
export const shopEvents = defineOutbox<ShopEvent>({
  name: 'shop.events',
  table: 'shop.outbox',
  states: STATES,
  columns: COLUMNS,
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('2s', { attempts: 5 }),
  retention: { after: '7d', archive: '90d' },
  destination: { transport: 'broker', topic: 'shop' },
  message: ({ id, type, payload }) => ({ id, type, payload }),
})

/** By key. */
export const orderEvents = defineOutbox<ShopEvent & { order_id: string }>({
  name: 'shop.order-events',
  table: 'shop.order_events',
  states: STATES,
  columns: COLUMNS,
  counter: { column: 'attempts', bumps: 'on-failure' },
  order: { key: 'order_id', dead: 'block' },
  retry: exponential('2s', { attempts: 5 }),
  destination: { transport: 'broker', topic: 'orders' },
  message: ({ id, type, order_id: key, payload }) => ({ id, type, key, payload }),
})

const table = (name: string, extra: string) => `
create table ${name} (
  id uuid primary key,
  type text not null,${extra}
  payload jsonb not null default '{}',
  status text not null default 'pending'
    check (status in ('pending', 'failed', 'sent', 'dead', 'cancelled')),
  attempts integer not null default 0,
  due_at timestamptz not null default posthorn.now(),
  error text,
  error_code text,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);`

const TABLES = `
create schema shop;
${table('shop.outbox', '')}
${outboxTableSql(shopEvents)}
${table('shop.order_events', '\n  order_id text not null,')}
${outboxTableSql(orderEvents)}`

/** Ids by number, so that the pages can name a message. */
export function idOf(n: number): string {
  return `01980000-0000-7000-8000-${String(n).padStart(12, '0')}`
}

const OUTCOMES: Record<string, () => Outcome> = {
  'order.placed': () => refused(new DeliveryError('BAD_ADDRESS', 'no such address')),
  'order.paid': () => retryLater(new DeliveryError('BUSY', 'try again')),
}

/** Refuses what was placed, is busy for what was paid, takes the rest; in order, if asked for. */
const broker: Transport = {
  async deliver(batch, { ordered }) {
    const stopped = new Set<string | undefined>()
    return batch.map(({ message }: Delivery) => {
      if (ordered && stopped.has(message.key)) return retryLater('waits', { charge: false })
      const outcome = (OUTCOMES[message.type] ?? delivered)()
      if (outcome.kind !== 'delivered') stopped.add(message.key)
      return outcome
    })
  },
  close: async () => undefined,
}

/** A database with dead, failing, claimed and lost messages, a blocked key, an outbox paused, a saga stuck. */
export async function makeTrouble(pool: Pool): Promise<void> {
  await migrate(pool, [await engineMigrations(), await sagaMigrations()])
  await pool.query(TABLES)
  const types = ['order.placed', 'order.paid', 'order.shipped']
  await transaction(pool, async (tx) => {
    await enqueueAll(
      tx,
      shopEvents,
      types.map((type, i) => ({ id: idOf(i + 1), type })),
    )
    await enqueueAll(
      tx,
      orderEvents,
      types.map((type, i) => ({ id: idOf(i + 11), type, order_id: 'A-1' })),
    )
  })
  const outboxes = [shopEvents, orderEvents]
  const relay = createRelay({ pool, outboxes, transports: { broker }, name: 'relay-1' })
  // Counts are written with the next heartbeat.
  for (let i = 0; i < 3; i += 1) await relay.runOnce()
  await transaction(pool, async (tx) => {
    for (const n of [4, 5, 6]) await enqueue(tx, shopEvents, { id: idOf(n), type: 'order.paid' })
    await pause(tx, shopEvents, { by: 'ada', reason: 'the broker moves house' })
  })
  await pool.query(`
    update shop.outbox set due_at = now() - interval '1 hour' where id = '${idOf(4)}';
    update shop.outbox
       set claim_token = gen_random_uuid(), claimed_until = now() + interval '20 s'
     where id = '${idOf(5)}';
    update shop.outbox set lost_claims = 2 where id = '${idOf(6)}';
    insert into posthorn.session (relay, outboxes, started_at, seen_at)
    values ('relay-0', '{shop.events}', now() - interval '1 day', now() - interval '5 minutes');
    update posthorn.pulse set lost = 1;
    insert into sagas.saga (id, name, version, step_names, status, resumes_as, input, position,
                            error_code, error, cause_code, cause, finished_at)
    values ('${idOf(21)}', 'order', 1, '{reserve,pay,ship}', 'FAILED', 'COMPENSATING', '{}', 1,
            'SAGA_STUCK', 'pay cannot be undone: the bank is closed', 'FULL', 'no van', now());
    insert into sagas.saga_step (saga_id, position, name, status, undo_attempts)
    values ('${idOf(21)}', 0, 'reserve', 'COMPLETED', 0), ('${idOf(21)}', 1, 'pay', 'UNDOING', 10),
           ('${idOf(21)}', 2, 'ship', 'REFUSED', 0)`)
}

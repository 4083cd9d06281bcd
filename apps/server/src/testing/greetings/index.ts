import {
  defineOutbox,
  enqueue,
  exponential,
  migrationsFrom,
  sql,
  transaction,
  type Log,
  type Message,
  type Outbox,
  type Queryable,
  type Transaction,
} from '@posthorn/engine'
import { defineInbox, once } from '@posthorn/engine/inbox'
import { callerOf, problem, type App } from '@posthorn/http'
import { defineSystem, type SystemConsumer } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'

interface Greeting {
  id: string
  org_id: string
  name: string
  status: 'waiting' | 'sent' | 'dead'
  attempts: number
  due_at: Date
  error: string | null
  traceparent: string | null
  created_at: Date
  sent_at: Date | null
}

const TOPIC = 'example.greetings'

/** An outbox as small as they come: one table, one destination, five attempts. */
function greetingOutbox(transport: string): Outbox<Greeting> {
  return defineOutbox<Greeting>({
    name: 'example.greetings',
    table: 'example.greeting',
    states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
    columns: {
      dueAt: 'due_at',
      error: 'error',
      tenant: 'org_id',
      createdAt: 'created_at',
      sentAt: 'sent_at',
      traceparent: 'traceparent',
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: exponential('1s', { attempts: 5 }),
    destination: { transport, topic: TOPIC },
    message: ({ id, org_id: tenant, name, created_at: occurredAt }) => ({
      id,
      type: 'example.greeted',
      tenant,
      occurredAt,
      payload: { name },
    }),
  })
}

const Name = Type.String({ minLength: 1, maxLength: 200 })

const greet = {
  summary: 'Greet a name: a row and its message in one transaction',
  tags: ['example'],
  body: Type.Object({ name: Name }),
  response: { 202: Type.Object({ id: Type.String() }) },
}

const greeted = {
  summary: 'Greetings of a name, counted by the consumer',
  tags: ['example'],
  params: Type.Object({ name: Name }),
  response: { 200: Type.Object({ name: Type.String(), times: Type.Integer() }) },
}

function greetingRoutes(app: App, pool: Pool, outbox: Outbox<Greeting>): void {
  app.post('/api/v1/greetings', { schema: greet }, async (request, reply) => {
    const row = { name: request.body.name, org_id: callerOf(request).org }
    const { id } = await transaction(pool, (tx) => enqueue(tx, outbox, row))
    return reply.code(202).send({ id })
  })

  app.get('/api/v1/greetings/:name', { schema: greeted }, async (request) => {
    const { name } = request.params
    const times = await findGreeted(pool, name)
    if (times === undefined) throw problem('NOT_FOUND', { detail: `no greeting of ${name} yet` })
    return { name, times }
  })
}

/** Counts one greeting more and returns how many there are. */
async function countGreeting(tx: Transaction, name: string): Promise<number> {
  const { rows } = await tx.query<{ times: string }>(sql`
    insert into example.greeted (name, times) values (${name}, 1)
    on conflict (name) do update set times = greeted.times + 1
    returning times`)
  return Number(rows[0]?.times)
}

/** How often a name was greeted; undefined if never. */
async function findGreeted(db: Queryable, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ times: string }>(sql`
    select times from example.greeted where name = ${name}`)
  return rows[0] && Number(rows[0].times)
}

const inbox = defineInbox({ table: 'example.inbox', retention: '30d' })

const GROUP = 'greeter'

/** Counts greetings by name, each message once however often it arrives. */
function greeter(pool: Pool, transport: string, log: Log): SystemConsumer {
  return {
    transport,
    topic: TOPIC,
    group: GROUP,
    async handle(message: Message) {
      const { name } = message.payload as { name: string }
      const receipt = { inbox, consumer: GROUP, id: message.id }
      const done = await transaction(pool, (tx) => once(tx, receipt, () => countGreeting(tx, name)))
      if (done.first) log.info({ name, times: done.result }, 'greeted')
    },
  }
}

/** The smallest whole system, for tests: a route, an outbox, a topic, a consumer with an inbox. */
export const greetings = defineSystem({
  name: 'example',
  settings: Type.Object({
    GREETINGS_BROKER: Type.Union(
      [Type.Literal('topics'), Type.Literal('kafka'), Type.Literal('rabbitmq')],
      { description: 'what the example sends by: topics, kafka or rabbitmq', default: 'topics' },
    ),
  }),
  migrations: () => migrationsFrom('example', new URL('./migrations/', import.meta.url)),
  open({ pool, log, settings }) {
    const outbox = greetingOutbox(settings.GREETINGS_BROKER)
    return {
      outboxes: [outbox],
      consumers: [greeter(pool, settings.GREETINGS_BROKER, log)],
      routes: (app) => greetingRoutes(app, pool, outbox),
    }
  },
})

/** For POSTHORN_CONFIG, where a test runs the server as a process. */
export const systems = [greetings]

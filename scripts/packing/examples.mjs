/** What the page of each package shows first. A test compiles those in TypeScript. */
export const EXAMPLES = {
  '@posthorn/engine': {
    language: 'ts',
    text: `
import { outbox, posthorn } from '@posthorn/engine'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
type Events = { 'order.placed': { order: number } }
const events = outbox<Events>('shop.outbox', { order: 'payload.order', attempts: 5 })
const placed = events.handle({
  'order.placed': async ({ payload }) => console.log('shipping order', payload.order),
})
const horn = await posthorn(pool, placed).setUp()
await horn.start()
await horn.transaction((tx) => events.enqueue(tx, 'order.placed', { order: 7 }))`,
  },
  '@posthorn/operate': {
    language: 'ts',
    text: `
import { outbox } from '@posthorn/engine'
import { listMessages, outboxStats } from '@posthorn/operate'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox')
console.log((await outboxStats(pool, events)).counts)
console.log(await listMessages(pool, events, { limit: 10 }))`,
  },
  '@posthorn/postgres': {
    language: 'ts',
    text: `
import { openPostgres } from '@posthorn/postgres'

const server = await openPostgres({ folder: '.posthorn/postgres' })
console.log(server.url)
await server.close()`,
  },
  '@posthorn/transports': {
    language: 'ts',
    text: `
import { outbox, posthorn } from '@posthorn/engine'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const events = outbox('shop.outbox', { destination: { transport: 'kafka', topic: 'shop' } })
const kafka = kafkaTransport({ brokers: ['127.0.0.1:9092'] })
const horn = posthorn({ pool, outboxes: [events], transports: { kafka } })
await horn.start()`,
  },
  '@posthorn/nest': {
    language: 'ts',
    text: `
import { outbox } from '@posthorn/engine'
import { PosthornModule } from '@posthorn/nest'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
export const events = outbox<{ 'order.placed': { order: number } }>('shop.outbox', { order: 'key' })
// In imports of your module; a method with @HandleMessage(events, 'order.placed') handles them.
export const posthorn = PosthornModule.forRoot({ pool, outboxes: [events], endPool: true })`,
  },
  '@posthorn/domain': {
    language: 'ts',
    text: `
import { AggregateRoot, type DomainEvent } from '@posthorn/domain'

class Family extends AggregateRoot<DomainEvent<'FamilyRenamed', { name: string }>> {
  readonly id = 'f1'
  rename(name: string): void {
    this.raise({ type: 'FamilyRenamed', payload: { name } })
  }
}
const family = new Family()
family.rename('Addams')
console.log(family.pendingEvents)`,
  },
  '@posthorn/saga': {
    language: 'ts',
    text: `
import { defineSaga, durableSaga, refuse } from '@posthorn/saga'
import { Pool } from 'pg'

const placeOrder = defineSaga<{ item: string; amount: number }>('place-order')
  .step('reserve', {
    action: async ({ item }) => ({ data: { reserved: item } }),
    compensate: async ({ reserved }) => console.log('give back', reserved),
  })
  .step('pay', {
    action: async ({ amount }) =>
      amount > 1000 ? refuse('DECLINED', 'the bank said no') : { data: { paid: amount } },
  })
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
await durableSaga(placeOrder, { pool }).execute({ item: 'lamp', amount: 40 })`,
  },
  '@posthorn/http': {
    language: 'ts',
    text: `
import { createApp, createVerifier, problem } from '@posthorn/http'

const verify = createVerifier({ secret: process.env['JWT_SECRET'] ?? '' })
const app = await createApp({ title: 'Shop', version: '1', production: false, verify })
app.get('/orders/:id', async () => {
  throw problem('NOT_FOUND')
})
await app.listen({ port: 8080 })`,
  },
  '@posthorn/simulators': {
    language: 'ts',
    text: `
import { createApp, createVerifier } from '@posthorn/http'
import { mail, simulators } from '@posthorn/simulators'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
const verify = createVerifier({ secret: process.env['JWT_SECRET'] ?? '' })
const app = await createApp({ title: 'World', version: '1', production: false, verify })
await app.register(simulators, { pool, simulators: [mail()] })
await app.listen({ port: 8081 })`,
  },
  '@posthorn/system': {
    language: 'ts',
    text: `
import { migrationsFrom, outbox } from '@posthorn/engine'
import { defineSystem } from '@posthorn/system'
import { Type } from 'typebox'

export const systems = [
  defineSystem({
    name: 'shop',
    settings: Type.Object({ SHOP_NAME: Type.String({ default: 'shop' }) }),
    migrations: () => migrationsFrom('shop', new URL('./migrations/', import.meta.url)),
    open: () => ({
      outboxes: [outbox('shop.outbox', { destination: { transport: 'kafka', topic: 'shop' } })],
    }),
  }),
]`,
  },
  '@posthorn/incidents': {
    language: 'ts',
    text: `
import { incidents } from '@posthorn/incidents'

// posthorn.config.ts: next to the systems of your own
export const systems = [incidents]`,
  },
  '@posthorn/dashboard': {
    language: 'sh',
    text: `
npx posthorn dashboard --config outboxes.ts   # with @posthorn/cli`,
  },
  '@posthorn/server': {
    language: 'ts',
    text: `
import { createLog, loadSystems, readConfiguration, startServer } from '@posthorn/server'

const env = { ...process.env, POSTHORN_CONFIG: 'outboxes.ts', POSTHORN_ROLES: 'api' }
const systems = await loadSystems(env)
const server = await startServer(readConfiguration(env, systems), {
  systems,
  log: createLog('info'),
})
console.log(server.url)`,
  },
  'create-posthorn': {
    language: 'sh',
    text: `
npm create posthorn shop                                # PostgreSQL alone: it comes along
npm create posthorn shop -- --orm drizzle --to kafka    # other parts; --help lists them`,
  },
  '@posthorn/cli': {
    language: 'sh',
    text: `
npx posthorn init shop                        # a small service that runs, with tests
npx posthorn dashboard --config outboxes.ts   # your outboxes in a browser
npx posthorn status --config outboxes.ts      # or in the terminal
npx posthorn doctor --config outboxes.ts      # what is wrong, and what to do`,
  },
}

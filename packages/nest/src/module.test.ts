import { Inject, Injectable, Scope, type Provider } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DefinitionError, outbox, type Handling, type StandardOutbox } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { HandleMessage, InjectOutbox, PosthornHost, PosthornModule } from './index.ts'
import type { PosthornSettings } from './host.ts'

interface Events {
  placed: { readonly order: number }
  paid: { readonly order: number; readonly receipt: string }
}

const events = outbox<Events>('shop.outbox', { order: 'key' })
const { pool, connect } = await testDatabase()
let seen: string[] = []
let close: (() => Promise<void>) | undefined

/** Decorators by hand: what runs these tests knows no decorator syntax of TypeScript. */
function decorate<Of extends object>(of: { prototype: Of }, method: keyof Of & string) {
  return (decorator: (target: object, key: string, descriptor: never) => void) =>
    decorator(
      of.prototype,
      method,
      Object.getOwnPropertyDescriptor(of.prototype, method) as unknown as never,
    )
}

class Shipping {
  readonly outbox: StandardOutbox<Events, { key: string }>
  constructor(given: StandardOutbox<Events, { key: string }>) {
    this.outbox = given
  }
  async ship({ payload, tx }: Handling<Events['placed']>) {
    await tx.query({ text: 'insert into shop.effect values ($1)', values: [payload.order] })
    seen.push(`${this.constructor.name} ${payload.order}`)
  }
}
Injectable()(Shipping)
InjectOutbox(events)(Shipping, undefined, 0)
decorate(Shipping, 'ship')(HandleMessage(events, 'placed', 'paid'))

/** Nest knows modules by their class. */
function newModule() {
  return class Shop {
    readonly name = 'shop'
  }
}

async function start(providers: Provider[], settings: Partial<PosthornSettings> = {}) {
  const posthornModule = PosthornModule.forRoot({ pool, outboxes: [events], ...settings })
  const shop = { module: newModule(), imports: [posthornModule], providers }
  const options = { logger: false, abortOnError: false } as const
  const app = await NestFactory.createApplicationContext(shop, options)
  close = () => app.close()
  return app
}

const place = (host: PosthornHost, order: number) =>
  host.transaction((tx) => events.enqueue(tx, 'placed', { order }, { key: String(order) }))

beforeAll(async () => {
  const app = await start([Shipping], { setUp: true })
  await app.close()
  await pool.query('create table shop.effect (order_id int primary key)')
})

beforeEach(async () => {
  seen = []
  await pool.query('truncate shop.effect, shop.outbox')
})

afterEach(() => close?.())

test('an outbox is injected, and a decorated method handles its messages', async () => {
  const app = await start([Shipping])
  expect(app.get(Shipping).outbox).toBe(events)
  await place(app.get(PosthornHost), 1)
  await expect.poll(() => seen).toEqual(['Shipping 1'])
  await expect
    .poll(async () => (await pool.query('select status from shop.outbox')).rows)
    .toEqual([{ status: 'sent' }])
  expect((await pool.query('select * from shop.effect')).rows).toEqual([{ order_id: 1 }])
})

test('closing the application waits for the handler under way, and nothing is left to do', async () => {
  const gate = Promise.withResolvers<void>()
  class Slow {
    async handle({ payload }: Handling<Events['placed']>) {
      seen.push(`begun ${payload.order}`)
      await gate.promise
      seen.push(`done ${payload.order}`)
    }
    onApplicationShutdown() {
      seen.push('what handlers use is closed')
    }
  }
  Injectable()(Slow)
  decorate(Slow, 'handle')(HandleMessage(events, 'placed'))
  const app = await start([Slow])
  await place(app.get(PosthornHost), 2)
  await expect.poll(() => seen).toEqual(['begun 2'])
  const closed = app.close()
  setTimeout(() => gate.resolve(), 200)
  await closed
  expect(seen).toEqual(['begun 2', 'done 2', 'what handlers use is closed'])
  expect((await pool.query('select status from shop.outbox')).rows).toEqual([{ status: 'sent' }])
})

test('a process without a relay enqueues, and wakes the relay of another', async () => {
  const api = await start([], { relay: false })
  expect(() => api.get(PosthornHost).app).toThrow('has not been started')
  const worker = await start([Shipping])
  await place(api.get(PosthornHost), 3)
  await expect.poll(() => seen).toEqual(['Shipping 3'])
  await api.close()
  await worker.close()
})

test('settings come from other providers, and the pool ends with the application', async () => {
  const own = connect()
  const provided = { provide: 'POOL', useValue: own }
  const config = { module: newModule(), providers: [provided], exports: ['POOL'] }
  const shop = {
    module: newModule(),
    providers: [Shipping],
    imports: [
      PosthornModule.forRootAsync({
        outboxes: [events],
        imports: [config],
        inject: ['POOL'],
        useFactory: (found: typeof own) => ({ pool: found, endPool: true }),
      }),
    ],
  }
  const app = await NestFactory.createApplicationContext(shop, { logger: false })
  expect(app.get(PosthornHost).app).toBeDefined()
  await app.close()
  expect(own.ended).toBe(true)
})

test.each<[string, () => Provider[], string]>([
  [
    'two methods for a type',
    () => {
      class Again {
        async twice() {}
      }
      Injectable()(Again)
      decorate(Again, 'twice')(HandleMessage(events, 'paid'))
      return [Shipping, Again]
    },
    'Shipping.ship and Again.twice both handle it',
  ],
  [
    'an outbox that the module has not got',
    () => {
      class Foreign {
        async handle() {}
      }
      Injectable()(Foreign)
      decorate(Foreign, 'handle')(HandleMessage(outbox('other.outbox'), 'x'))
      return [Shipping, Foreign]
    },
    'PosthornModule has not got it: Foreign.handle',
  ],
  [
    'a provider that is bound to a request',
    () => {
      class Bound {
        readonly request: unknown
        constructor(request: unknown) {
          this.request = request
        }
        async handle() {}
      }
      Injectable({ scope: Scope.REQUEST })(Bound)
      Inject('posthorn:outbox:shop.outbox')(Bound, undefined, 0)
      decorate(Bound, 'handle')(HandleMessage(events, 'placed'))
      return [Bound]
    },
    'must not be bound to one',
  ],
  ['an outbox without handlers', () => [], 'has no handlers'],
])('%s is refused when the application starts', async (_, providers, problem) => {
  const started = start(providers())
  await expect(started).rejects.toThrow(DefinitionError)
  await expect(started).rejects.toThrow(problem)
})

import { expect, onTestFinished, test } from 'vitest'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { testDatabase } from '../testing/index.ts'
import { fakeTransport } from '../testing/fake-transport.ts'
import { createTcpProxy } from '../testing/tcp-proxy.ts'
import { relays } from './relays.ts'

const mails = outbox<{ mail: { n: number } }>('shop.mails', {
  claim: { every: '200ms' },
  destination: { transport: 'mail', topic: 'mails' },
})

const acme = await testDatabase()
const globex = await testDatabase()
const patience = { timeout: 30_000, interval: 50 }

function tenant(pool = acme.pool) {
  const transport = fakeTransport()
  const app = posthorn({
    pool,
    log: silentLog,
    outboxes: [mails],
    transports: { mail: transport },
  })
  const arrived = () => transport.arrived.map(({ payload }) => (payload as { n: number }).n)
  return { app, arrived }
}

const write = (pool: typeof acme.pool, n: number) =>
  pool.query(`insert into shop.mails (id, type, payload) values (gen_random_uuid(), 'mail', $1)`, [
    { n },
  ])

test('a database that is gone and comes back is nothing to the others', async () => {
  const { hostname, port } = new URL(globex.url)
  const line = await createTcpProxy({ host: hostname, port: Number(port) })
  const away = tenant(globex.connect({ connectionString: line.by(globex.url) }))
  const here = tenant()
  await here.app.setUp()
  await tenant(globex.pool).app.setUp()
  line.cut()
  const group = relays(
    { acme: here.app, globex: away.app },
    { log: silentLog, patience: '300ms', retry: '100ms' },
  )
  onTestFinished(async () => {
    await line.heal()
    await group.stop()
    await line.close()
  })
  await group.start()
  await expect
    .poll(() => group.status(), patience)
    .toMatchObject([
      { name: 'acme', state: 'running' },
      { name: 'globex', state: 'starting' },
    ])
  await write(acme.pool, 1)
  await write(globex.pool, 1)
  await expect.poll(here.arrived, patience).toEqual([1])
  await line.heal()
  await expect.poll(away.arrived, patience).toEqual([1])
  line.cut()
  await write(globex.pool, 2)
  await write(acme.pool, 2)
  await expect.poll(here.arrived, patience).toEqual([1, 2])
  expect(away.arrived()).toEqual([1])
  await line.heal()
  await expect.poll(away.arrived, patience).toEqual([1, 2])
  await group.stop()
  expect(group.status().map(({ state }) => state)).toEqual(['stopped', 'stopped'])
})

test('one that cannot start is started again; others are added and removed meanwhile', async () => {
  await globex.pool.query('drop schema if exists shop cascade')
  const late = tenant(globex.pool)
  const group = relays({ globex: late.app }, { log: silentLog, retry: '100ms' })
  onTestFinished(() => group.stop())
  await group.start()
  expect(group.status()).toMatchObject([{ state: 'failed', error: { code: 'TABLE_MISMATCH' } }])
  const other = tenant()
  await other.app.setUp()
  group.add('acme', other.app)
  expect(() => group.add('acme', other.app)).toThrow('has a relay of this name')
  await write(acme.pool, 3)
  await expect.poll(other.arrived, patience).toContain(3)
  await late.app.setUp()
  await write(globex.pool, 4)
  await expect.poll(late.arrived, patience).toEqual([4])
  expect(group.status()[0]).toMatchObject({ state: 'running', error: undefined })
  await group.remove('acme')
  expect(group.status().map(({ name }) => name)).toEqual(['globex'])
})

test('stats of a relay say how its outboxes are doing', async () => {
  const { app } = tenant()
  await app.setUp()
  await acme.pool.query('truncate shop.mails')
  await write(acme.pool, 5)
  expect(await app.stats()).toMatchObject([{ name: 'shop.mails', counts: { pending: 1 } }])
})

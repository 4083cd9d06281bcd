import { setTimeout as sleep } from 'node:timers/promises'
import {
  createRelay,
  defineOutbox,
  delivered,
  fixed,
  outbox,
  posthorn,
  refused,
  retryLater,
  silentLog,
  toMessage,
  transaction,
  uuid,
  type Delivery,
  type Outbox,
  type OutboxDefinition,
  type Outcome,
  type Transaction,
} from '@posthorn/engine'
import { advanceClock, pause, useMovableClock } from '@posthorn/operate'
import { defineSaga, sagaEvents, sagas, startSaga } from '@posthorn/saga'
import { postgresTransport } from '@posthorn/transports/postgres'
import { Pool } from 'pg'
import {
  CREATE_SCHEMA,
  createTable,
  insertKeys,
  lockKey,
  PING,
  restartLog,
  SHORT_IDLENESS,
} from './queries.ts'

/** A database of its own. Nothing is closed: what is stuck would keep a process from its end. */
export interface Scene {
  readonly url: string
  readonly pool: Pool
}

/** Leaves relays running, and says which outboxes the watchdog looks at. */
type Scenario = (scene: Scene) => Promise<readonly Outbox[]>

interface Row {
  id: string
  key: string
  lane: string | null
  status: string
  attempts: number
  due_at: Date
  created_at: Date
}

type Answer = (delivery: Delivery) => Outcome | Promise<Outcome>

const claim = { every: '200ms', lease: '5s', attempt: '10s', batch: 20 } as const
const byKey = { order: { key: 'key', dead: 'block' } } as const

function boxOf(more: Partial<OutboxDefinition<Row>> = {}): Outbox<Row> {
  return defineOutbox<Row>({
    name: 'stalls.jobs',
    table: 'stalls.job',
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: { dueAt: 'due_at', createdAt: 'created_at' },
    counter: { column: 'attempts', bumps: 'on-failure' },
    claim,
    retry: fixed('100ms', { attempts: 3 }),
    destination: { transport: 'fake', topic: 'jobs' },
    message: ({ id, key }: Row) => ({ id, key, type: 'job', payload: {} }),
    ...more,
  } as OutboxDefinition<Row>)
}

const any = (box: Outbox<Row>) => box as unknown as Outbox

async function makeTable({ pool }: Scene, box: Outbox<Row>): Promise<void> {
  await pool.query(CREATE_SCHEMA)
  await pool.query(createTable(box as never))
}

const put = ({ pool }: Scene, box: Outbox<Row>, keys: readonly string[]) =>
  pool.query(insertKeys(box.log ?? box.table, keys))

const keys = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `key-${i + from}`)

/** A relay of its own; a refusal to start is what the fix does in some of them. */
async function start({ pool }: Scene, box: Outbox<Row>, answer: Answer = () => delivered()) {
  const fake = {
    deliver: (batch: readonly Delivery[]) => Promise.all(batch.map(async (each) => answer(each))),
    takes: 'each',
  } as const
  const relay = createRelay({ pool, outboxes: [box], transports: { fake }, log: silentLog })
  await relay.start()
  return relay
}

const tryLater = () => retryLater(new Error('not now'), { after: '1s' })

export const scenarios: Readonly<Record<string, Scenario>> = {
  async 'long key'(scene) {
    const box = boxOf({ ...byKey, retry: fixed('1s', { attempts: 50 }) })
    await makeTable(scene, box)
    const long = Array.from({ length: 300 }, () => uuid()).join('')
    await put(scene, box, [long]).catch(() => undefined)
    await put(scene, box, keys(50))
    await start(scene, box, ({ message }) => (message.key === long ? tryLater() : delivered()))
    return [any(box)]
  },

  async 'changed storage'(scene) {
    const before = boxOf({ ...byKey, storage: 'log' })
    const after = boxOf(byKey)
    await makeTable(scene, before)
    const relay = await start(scene, before)
    await relay.stop()
    await put(scene, before, keys(20))
    await start(scene, after)
    return [any(after)]
  },

  async 'restarted sequence'(scene) {
    const box = boxOf({ ...byKey, storage: 'log' })
    await makeTable(scene, box)
    await start(scene, box)
    await put(scene, box, keys(200))
    await sleep(2_000)
    await scene.pool.query(restartLog(box.log ?? ''))
    await put(scene, box, keys(20))
    return [any(box)]
  },

  async 'lane without a value'(scene) {
    const box = boxOf({ fair: { by: 'lane' } })
    await makeTable(scene, box)
    await put(scene, box, keys(20))
    // Refused by the fix: there is no relay then that could claim nothing.
    const isRefused = await start(scene, box).then(
      () => false,
      () => true,
    )
    return isRefused ? [] : [any(box)]
  },

  async 'locked row'(scene) {
    const box = boxOf(byKey)
    await makeTable(scene, box)
    await put(scene, box, keys(5))
    const holder = new Pool({ connectionString: scene.url, max: 1 })
    const client = await holder.connect()
    await client.query('begin')
    let isLocked = false
    await start(scene, box, async ({ message }) => {
      if (!isLocked && message.key === 'key-0') {
        isLocked = true
        await client.query(lockKey(box.table, 'key-0'))
      }
      return delivered()
    })
    await sleep(1_000)
    await put(scene, box, keys(200, 5))
    return [any(box)]
  },

  async 'handlers on the pool'(scene) {
    const pool = new Pool({ connectionString: scene.url, max: 10 })
    pool.on('error', () => undefined)
    const boxes = ['one', 'two'].map((name) => outbox(`stalls.${name}`, { claim }))
    await scene.pool.query(CREATE_SCHEMA)
    const handle = async () => void (await pool.query('select pg_sleep(0.01)'))
    const parts = boxes.map((box) => box.handle({ job: handle }))
    const app = posthorn({ pool, handlers: parts, log: silentLog, drain: '100ms' })
    for (const box of boxes) {
      await scene.pool.query(box.tableSql())
      const drafts = Array.from({ length: 100 }, () => ({ type: 'job', payload: {} }))
      await transaction(scene.pool, (tx) => box.enqueueAll(tx, drafts))
    }
    await app.start()
    return boxes as unknown as Outbox[]
  },

  async 'dead letter'({ pool }) {
    const topics = postgresTransport({
      pool,
      deadLetters: pool,
      retry: fixed('1ms', { attempts: 1 }),
    })
    await topics.subscribe({
      ...{ topic: 'stalls', group: 'readers' },
      handle: () => Promise.reject(new Error('never')),
    })
    const payload = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown
    const message = toMessage({ id: uuid(), type: 'deep', payload })
    const destination = { transport: 'topics', topic: 'stalls' }
    const { signal } = new AbortController()
    await topics.deliver([{ message, destination }], { ordered: true, signal })
    return []
  },

  'text of a saga': (scene) => runBadStep(scene, () => Promise.reject(new Error('half of it \0'))),

  'idle transaction': (scene) =>
    runBadStep(scene, async (tx) => {
      await tx.query(SHORT_IDLENESS)
      await sleep(200)
      await tx.query(PING)
    }),
}

/** A saga whose only step fails, beside many that go through. */
async function runBadStep(
  { pool }: Scene,
  fail: (tx: Transaction) => Promise<void>,
): Promise<readonly Outbox[]> {
  const sagaOf = (name: string, action: (tx: Transaction) => Promise<void>) =>
    defineSaga<object>(name).step('only', {
      retry: fixed('10ms', { attempts: 3 }),
      action: async (_, tx) => {
        await action(tx)
        return undefined
      },
      compensate: async () => undefined,
    })
  const bad = sagaOf('bad', fail)
  const good = sagaOf('good', async () => undefined)
  const events = sagaEvents({ transport: 'topics' })
  await hurry(pool)
  const transports = { topics: postgresTransport({ pool }) }
  await sagas(pool, [bad, good], { events, transports, log: silentLog }).start()
  const begin = (saga: typeof bad) => transaction(pool, (tx) => startSaga(tx, saga, { input: {} }))
  await begin(bad)
  // Beside what goes through it is no outage.
  setInterval(() => void begin(good).catch(() => undefined), 200)
  return []
}

/** What is tried again is due at once, however long its pause. */
async function hurry(pool: Pool): Promise<void> {
  await useMovableClock(pool)
  setInterval(() => void advanceClock(pool, '1m').catch(() => undefined), 300)
}

/** What looks like a stall and is none. */
export const calm: Readonly<Record<string, Scenario>> = {
  async 'a pause'(scene) {
    const box = boxOf()
    await makeTable(scene, box)
    await transaction(scene.pool, (tx) => pause(tx, box, { by: 'ops' }))
    await put(scene, box, keys(50))
    await start(scene, box)
    return [any(box)]
  },

  async 'a rate limit'(scene) {
    const box = boxOf({ limit: { rate: 2, per: '1s' } })
    await makeTable(scene, box)
    await put(scene, box, keys(200))
    await start(scene, box)
    return [any(box)]
  },

  async 'a concurrency limit'(scene) {
    const box = boxOf({ limit: { atOnce: 1 } })
    await makeTable(scene, box)
    await put(scene, box, keys(200))
    await start(scene, box, async () => {
      await sleep(500)
      return delivered()
    })
    return [any(box)]
  },

  async 'a blocked key'(scene) {
    const box = boxOf(byKey)
    await makeTable(scene, box)
    await start(scene, box, ({ message }) =>
      message.key === 'bad' ? refused(new Error('never')) : delivered(),
    )
    await put(scene, box, ['bad', 'bad', 'bad', ...keys(50)])
    return [any(box)]
  },

  async 'an open breaker'(scene) {
    const box = boxOf({ breaker: {}, retry: fixed('1h', { attempts: 5 }) })
    await makeTable(scene, box)
    await put(scene, box, keys(100))
    await start(scene, box, () => retryLater(new Error('503')))
    return [any(box)]
  },

  async 'a delay'(scene) {
    const box = boxOf()
    await makeTable(scene, box)
    await start(scene, box, () => retryLater(new Error('later'), { after: '6h' }))
    await put(scene, box, keys(20))
    return [any(box)]
  },

  async 'a moved clock'(scene) {
    const box = boxOf({ retry: fixed('6h', { attempts: 50 }) })
    await useMovableClock(scene.pool)
    await makeTable(scene, box)
    await start(scene, box, tryLater)
    await put(scene, box, keys(20))
    setInterval(() => void advanceClock(scene.pool, '7h').catch(() => undefined), 1_000)
    return [any(box)]
  },
}

import { testDatabase } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { letterSystem } from '../testing/letters.ts'
import { testServer } from '../testing/test-server.ts'

const database = await testDatabase()
const letters = letterSystem()
const server = await testServer(database, { systems: [letters.system] })
const limited = await testServer(database, {
  systems: [],
  env: { POSTHORN_RATE_LIMIT: '2', POSTHORN_ROLES: 'api' },
})

/** The value of a metric whose line begins like this. */
async function metric(start: string): Promise<number | undefined> {
  const { body } = await server.call('/metrics')
  const line = String(body['text'])
    .split('\n')
    .find((each) => each.startsWith(`${start} `))
  return line === undefined ? undefined : Number(line.slice(start.length))
}

describe('/metrics', () => {
  test('has the backlog of each outbox, and what its relay did at each destination', async () => {
    letters.refusing.add('refused')
    await letters.write(database.pool, { reader: 'refused' })
    await letters.write(database.pool, { reader: 'ada' })
    const outbox = 'outbox="test.letters"'
    const readPosted = () => metric(`posthorn_messages{${outbox},state="posted"}`)
    await expect.poll(readPosted, { interval: 500 }).toBe(1)
    expect(await metric('posthorn_up')).toBe(1)
    expect(await metric(`posthorn_messages{${outbox},state="lost"}`)).toBe(1)
    expect(await metric(`posthorn_oldest_due_seconds{${outbox}}`)).toBe(0)
    expect(await metric(`posthorn_relays{${outbox}}`)).toBe(1)
    expect(await metric(`posthorn_blocked_keys{${outbox}}`)).toBe(1)
    expect(await metric('posthorn_alerts_open{source="test.letters"}')).toBe(1)
    const there = `{${outbox},destination="post:letters"}`
    expect(await metric(`posthorn_answered_total${there}`)).toBe(2)
    expect(await metric(`posthorn_breaker_open${there}`)).toBe(0)
    expect(await metric(`posthorn_delivery_ms_count${there}`)).toBeGreaterThan(0)
    const route = '{method="GET",route="/metrics",status="200"}'
    const readRequests = async () => (await metric(`posthorn_http_request_ms_count${route}`)) ?? 0
    await expect.poll(readRequests, { interval: 100 }).toBeGreaterThan(0)
    expect(await metric('process_resident_memory_bytes')).toBeGreaterThan(0)
  })
})

test('probes are answered, however many requests a stranger makes', async () => {
  const statuses = async (path: string) => {
    const answers = Array.from({ length: 5 }, () => fetch(`${limited.url}${path}`))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  expect(await statuses('/openapi.json')).toContain(429)
  expect(await statuses('/healthz')).toEqual([200, 200, 200, 200, 200])
  expect(await statuses('/readyz')).not.toContain(429)
  expect(await statuses('/metrics')).toEqual([200, 200, 200, 200, 200])
})

test('metrics are written out once for many who ask at once', async () => {
  const read = async () => (await server.call('/metrics')).body['text']
  const texts = await Promise.all(Array.from({ length: 20 }, read))
  expect(new Set(texts).size).toBeLessThan(texts.length)
  const isNew = async () => !texts.includes(await read())
  await expect.poll(isNew, { interval: 300 }).toBe(true)
})

test('a port that is taken is named', async () => {
  const { port } = new URL(server.url)
  const unlucky = testServer(database, { systems: [], env: { PORT: port } })
  await expect(unlucky).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken`)
})

describe('/readyz', () => {
  test('is 200 with a database, its migrations and no brokers to wait for', async () => {
    const { status, body } = await server.call('/readyz')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ready: true, checks: { database: { ok: true }, migrations: { ok: true } } },
    })
  })

  test('is 503 while nothing can be written, although the database answers', async () => {
    const full = await testDatabase()
    const broken = await testServer(full, { env: { POSTHORN_ROLES: 'api' } })
    const setReadOnly = async (value: 'on' | 'off') => {
      const { rows } = await full.pool.query('select current_database() as name')
      const name = `"${String(rows[0]?.name)}"`
      await full.pool.query(`set default_transaction_read_only = off`)
      await full.pool.query(`alter database ${name} set default_transaction_read_only = ${value}`)
      await full.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'posthorn%'`,
      )
    }
    await setReadOnly('on')
    const readiness = async () => (await broken.call('/readyz')).body
    await expect.poll(readiness, { timeout: 20_000 }).toMatchObject({
      ready: false,
      checks: {
        database: { ok: true },
        writes: { ok: false, reason: expect.stringContaining('read-only') },
      },
    })
    await setReadOnly('off')
    await expect.poll(readiness, { timeout: 20_000 }).toMatchObject({
      ready: true,
      checks: { writes: { ok: true } },
    })
  })

  test('is 200 while requests have all connections', async () => {
    const crowded = await testDatabase()
    const busy = await testServer(crowded, { env: { POSTHORN_POOL_SIZE: '2' } })
    const holder = await crowded.pool.connect()
    await holder.query('begin; lock table example.greeting in access exclusive mode')
    // Of several organisations, since none gets all connections.
    const waiting = Array.from({ length: 6 }, async (_, n) => {
      const token = await busy.tokenFor({ org: `org ${n}` })
      return busy.call('/api/v1/greetings', { body: { name: 'waits' }, token })
    })
    // The other connection listens for topics, or waits too.
    const held = async () => {
      const { rows } = await crowded.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity
          where datname = current_database() and application_name = 'posthorn'
            and wait_event_type = 'Lock'`,
      )
      return rows[0]?.n
    }
    await expect.poll(held).toBeGreaterThan(0)
    const { status, body } = await busy.call('/readyz')
    expect({ status, body }).toMatchObject({ status: 200, body: { ready: true } })
    await holder.query('rollback')
    holder.release()
    await Promise.all(waiting)
  })

  test('stays 200 beside a newer migration, unless it is breaking', async () => {
    const own = await testDatabase()
    const newer = await testServer(own)
    const { pool } = own
    await pool.query(
      `insert into posthorn.migration (set_name, id, checksum) values ('engine', '9998_newer', 'x')`,
    )
    expect((await newer.call('/readyz')).status).toBe(200)
    await pool.query(`update posthorn.migration set breaking = true where id = '9998_newer'`)
    // The last answer is given again for a moment.
    await expect
      .poll(() => newer.call('/readyz'), { interval: 500 })
      .toMatchObject({
        status: 503,
        body: {
          checks: { migrations: { ok: false, reason: expect.stringContaining('9998_newer') } },
        },
      })
  })

  test.each([
    ['rabbitmq', { RABBITMQ_URL: 'amqp://guest:hunter2@127.0.0.1:1' }],
    ['kafka', { KAFKA_BROKERS: '127.0.0.1:1' }],
  ])(
    'starts without its %s, takes requests, and names what is missing',
    async (name, env) => {
      const lonely = await testServer(await testDatabase(), {
        env: { ...env, GREETINGS_BROKER: name },
      })
      const { status, body } = await lonely.call('/readyz')
      expect({ status, body }).toMatchObject({
        status: 503,
        body: {
          ready: false,
          checks: {
            database: { ok: true },
            [name]: { ok: false },
            consumers: { ok: false, reason: expect.stringContaining('example.greetings') },
          },
        },
      })
      expect(JSON.stringify(body)).not.toContain('hunter2')
      const greeted = await lonely.call('/api/v1/greetings', { body: { name: 'ada' } })
      expect(greeted.status).toBe(202)
      const started = performance.now()
      await lonely.close()
      expect(performance.now() - started).toBeLessThan(30_000)
    },
    60_000,
  )
})

describe('without its database', () => {
  test('says so, answers 503 with Retry-After, lives on, and recovers by itself', async () => {
    const postgres = await temporaryPostgres({})
    onTestFinished(() => postgres.close())
    const hardy = await testServer(postgres)
    const greet = () => hardy.call('/api/v1/greetings', { body: { name: 'ada' } })
    expect((await greet()).status).toBe(202)

    await postgres.kill()
    const refused = await greet()
    expect(refused).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await hardy.call('/healthz')).status).toBe(200)
    const { status, body } = await hardy.call('/readyz')
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { checks: { database: { ok: false } } },
    })
    const { body: metrics } = await hardy.call('/metrics')
    expect(metrics['text']).toMatch(/^posthorn_up 0$/m)

    await postgres.restart()
    const ready = async () => (await hardy.call('/readyz')).status
    await expect.poll(ready, { interval: 500 }).toBe(200)
    expect((await greet()).status).toBe(202)
    const times = async () => (await hardy.call('/api/v1/greetings/ada')).body['times']
    await expect.poll(times, { timeout: 30_000, interval: 500 }).toBe(2)
  })
})

describe('in production', () => {
  test('there is no simulated world, and the clock stands', async () => {
    const live = await testServer(await testDatabase(), {
      env: { NODE_ENV: 'production', POSTHORN_ENCRYPTION_KEYS: 'k'.repeat(32) },
    })
    for (const path of ['/sim', '/sim/clock', '/sim/mail/requests']) {
      expect((await live.call(path)).status).toBe(404)
    }
    const moved = await live.call('/sim/clock/advance', { body: { by: '6h' } })
    expect(moved.status).toBe(404)
    const { headers } = await live.call('/healthz')
    expect(headers.get('strict-transport-security')).toMatch(/max-age/)
  })
})

import { engineMigrations, migrate, sql } from '@posthorn/engine'
import { createTcpProxy } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import { Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkMigrations } from '../engine.ts'
import { checkHorizon, checkLocks } from './transactions.ts'
import { checkServer, checkSkew, checkWakeUps } from './server.ts'
import { checkSettings } from './settings.ts'

// A server of its own: what is wrong here must not be wrong for other files.
const postgres = await temporaryPostgres({ settings: { max_prepared_transactions: 5 } })
const pools: Pool[] = []

function connect(options: { url?: string; settings?: string; max?: number } = {}): Pool {
  const pool = new Pool({
    connectionString: options.url ?? postgres.url,
    max: options.max ?? 5,
    application_name: 'troublemaker',
    ...(options.settings !== undefined && { options: `-c ${options.settings}` }),
  })
  pool.on('error', () => undefined)
  pools.push(pool)
  return pool
}

const pool = connect()
beforeAll(async () => {
  await migrate(pool, [await engineMigrations()])
  await pool.query('create table work (id int primary key, n int); insert into work values (1, 0)')
})
afterAll(async () => {
  await Promise.all(pools.map((each) => each.end()))
  await postgres.close()
})

/** Runs with a transaction open on a connection of its own, which is rolled back. */
async function during(begin: string, look: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(begin)
    await look(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

async function pidOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}

const development = { production: false }
const production = { production: true }

describe('settings', () => {
  test('of a server as it comes are fine, but for transactions that are never ended', async () => {
    expect(await checkSettings(pool, development)).toMatchObject([{ level: 'ok' }])
    expect(await checkSettings(pool, production)).toMatchObject([
      {
        level: 'warn',
        says: expect.stringContaining('a forgotten transaction may stay open'),
        run: "alter database postgres set idle_in_transaction_session_timeout = '5min';",
      },
    ])
  })

  test.each([
    ['synchronous_commit=off', 'warn', 'synchronous_commit is off'],
    ['statement_timeout=2000', 'warn', 'statement_timeout is 2000 ms'],
    ['default_transaction_isolation=serializable', 'warn', 'transactions are serializable'],
  ])('%s is found, as our connections get it', async (settings, level, says) => {
    const found = await checkSettings(connect({ settings }), development)
    expect(found).toMatchObject([{ level, says: expect.stringContaining(says) }])
    expect(found[0]?.run).toMatch(/^alter database postgres set /)
  })

  test.each([
    ['autovacuum = off', 'fail', 'autovacuum is off'],
    ["autovacuum_naptime = '1h'", 'warn', 'autovacuum looks only every 1h'],
    ['fsync = off', 'fail', 'fsync is off'],
    ['full_page_writes = off', 'fail', 'full_page_writes is off'],
  ])('%s is found, and what is to be run mends it', async (setting, level, says) => {
    await pool.query(`alter system set ${setting}`)
    await pool.query('select pg_reload_conf()')
    const read = () => checkSettings(pool, development)
    await expect.poll(read).toMatchObject([{ level, says: expect.stringContaining(says) }])
    for (const statement of (await read())[0]?.run?.split('; ') ?? []) await pool.query(statement)
    await expect.poll(read).toMatchObject([{ level: 'ok' }])
  })
})

describe('the server', () => {
  const configuration = { roles: new Set(['api']), poolSize: 10 } as never

  test('with room for us is fine', async () => {
    expect(await checkServer(pool, configuration, [])).toMatchObject([
      { check: 'server', level: 'ok' },
      { check: 'connections', level: 'ok' },
    ])
  })

  test('with fewer connections than we need fails', async () => {
    const greedy = { roles: new Set(['api']), poolSize: 500 } as never
    expect((await checkServer(pool, greedy, [])).at(1)).toMatchObject({
      level: 'fail',
      says: expect.stringContaining('takes 500'),
      run: expect.stringContaining('alter system set max_connections = '),
    })
  })

  test('that is read-only fails', async () => {
    const readOnly = connect({ settings: 'default_transaction_read_only=on' })
    expect((await checkServer(readOnly, configuration, [])).at(2)).toMatchObject({
      level: 'fail',
      says: 'it is read-only',
    })
  })

  test('that shows us only our own connections is a warning, and what is to be run mends it', async () => {
    await pool.query('create role "Plain"; grant "Plain" to current_user')
    const plain = connect({ settings: 'role=Plain' })
    const found = (await checkServer(plain, configuration, [])).at(2)
    expect(found).toMatchObject({
      check: 'rights',
      level: 'warn',
      run: 'grant pg_monitor to "Plain";',
    })
    await pool.query(found?.run ?? '')
    expect(await checkServer(plain, configuration, [])).toHaveLength(2)
  })

  test('whose migrations are pending fails', async () => {
    const { migrations } = await engineMigrations()
    const sets = [{ name: 'later', migrations: migrations.slice(0, 1) }]
    expect(await checkMigrations(pool, sets)).toMatchObject({
      level: 'fail',
      says: expect.stringMatching(/^pending: later\/0001_/),
      run: 'posthorn migrate',
    })
  })
})

describe('what keeps vacuum from its work', () => {
  test('nothing', async () => {
    expect(await checkHorizon(pool)).toMatchObject([{ check: 'transactions', level: 'ok' }])
  })

  test('a transaction that stays open, with who has it', async () => {
    await during('select 1', async (client) => {
      const pid = await pidOf(client)
      expect(await checkHorizon(pool, 0)).toMatchObject([
        {
          level: 'warn',
          says: expect.stringContaining(`process ${pid} (troublemaker, idle in transaction)`),
          run: `select pg_terminate_backend(${pid});`,
        },
      ])
      expect(await checkHorizon(pool)).toMatchObject([{ level: 'ok' }])
    })
  })

  test('a transaction that was prepared and never ended; what is to be run ends it', async () => {
    const client = await pool.connect()
    await client.query('begin')
    await client.query('update work set n = 1')
    await client.query(`prepare transaction 'it''s mine'`)
    client.release()
    const [found] = await checkHorizon(pool, 0)
    expect(found).toMatchObject({
      level: 'warn',
      says: expect.stringMatching(/^'it''s mine' of postgres was prepared /),
      run: `rollback prepared 'it''s mine';`,
    })
    await pool.query(found?.run ?? '')
    expect(await checkHorizon(pool)).toMatchObject([{ level: 'ok' }])
  })

  test('a slot without a reader; what is to be run drops it', async () => {
    await pool.query(`select pg_create_logical_replication_slot('old_reader', 'pgoutput')`)
    const [found] = await checkHorizon(pool)
    expect(found).toMatchObject({
      check: 'replication',
      level: 'warn',
      says: expect.stringMatching(
        /^slot 'old_reader' is idle: it keeps \d+ MiB of log and dead rows/,
      ),
    })
    await pool.query(found?.run ?? '')
    expect(await checkHorizon(pool)).toMatchObject([{ level: 'ok' }])
  })
})

describe('locks', () => {
  const outboxes = [{ table: 'public.work' as const }]

  test('no session waits', async () => {
    expect(await checkLocks(pool, outboxes)).toMatchObject([{ check: 'locks', level: 'ok' }])
  })

  test('who waits, and behind whom', async () => {
    await during('update work set n = 2 where id = 1', async (client) => {
      const blocker = await pidOf(client)
      const waiting = pool.query('update work set n = 3 where id = 1')
      const look = () => checkLocks(pool, outboxes, 0)
      await expect.poll(look).toMatchObject([
        {
          level: 'warn',
          says: expect.stringMatching(
            new RegExp(
              `has waited .* for a row behind process ${blocker} \\(troublemaker, idle in trans`,
            ),
          ),
          run: `select pg_terminate_backend(${blocker});`,
        },
      ])
      await client.query('commit')
      await waiting
    })
  })

  test('who waits behind a prepared transaction', async () => {
    const client = await pool.connect()
    await client.query('begin')
    await client.query('update work set n = 4 where id = 1')
    await client.query(`prepare transaction 'held'`)
    client.release()
    const waiting = pool.query('update work set n = 5 where id = 1')
    await expect
      .poll(() => checkLocks(pool, outboxes, 0))
      .toMatchObject([{ says: expect.stringMatching(/behind a prepared transaction/) }])
    await pool.query(`rollback prepared 'held'`)
    await waiting
  })

  test('a table of messages that other sessions cannot write to', async () => {
    await during('lock table work in share row exclusive mode', async (client) => {
      const pid = await pidOf(client)
      expect(await checkLocks(pool, outboxes, 0)).toMatchObject([
        {
          level: 'warn',
          says: expect.stringMatching(
            new RegExp(`process ${pid} .* has had ShareRowExclusiveLock on public.work for`),
          ),
        },
      ])
      expect(await checkLocks(pool, outboxes, 3_600)).toMatchObject([{ level: 'ok' }])
    })
  })
})

describe('time', () => {
  test('of the same machine is the same', async () => {
    expect(await checkSkew(pool)).toMatchObject({ check: 'time', level: 'ok' })
  })

  test.each([
    ['10 seconds', 'warn', /^the database is (9|10)s ahead of this machine$/],
    ['-2 hours', 'fail', /^the database is (1h 59m|2h) behind this machine$/],
  ])('that is %s off is found', async (by, level, says) => {
    await pool.query(`
      create schema if not exists skewed;
      create or replace function skewed.clock_timestamp() returns timestamptz language sql
        return pg_catalog.clock_timestamp() + interval '${by}'`)
    const skewed = connect({ settings: 'search_path=skewed,pg_catalog' })
    expect(await checkSkew(skewed)).toMatchObject({ level, says: expect.stringMatching(says) })
  })
})

describe('wake-ups', () => {
  const [listen, poll] = [{ relayMode: 'listen' }, { relayMode: 'poll' }] as const

  test('arrive where no pooler stands in between, and leave nothing behind', async () => {
    const own = connect({ max: 2 })
    expect(await checkWakeUps(own, listen)).toMatchObject({ check: 'wake-ups', level: 'ok' })
    const { rows } = await own.query(sql`select pg_listening_channels() as channel`)
    expect(rows).toEqual([])
  })

  test('do not arrive on a connection that dies, and the process goes on', async () => {
    // With one connection the notification waits for its own: there is time to end the listening one.
    const single = connect({ max: 1 })
    const checked = checkWakeUps(single, listen)
    // Only in this database: tests beside this one listen on the same server.
    const endListening = async () => {
      const { rowCount } = await pool.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where query ilike 'listen %' and datname = current_database() and pid <> pg_backend_pid()`)
      return rowCount
    }
    await expect.poll(endListening, { interval: 5 }).toBe(1)
    expect(await checked).toMatchObject({ check: 'wake-ups', level: 'fail' })
  })

  test('do not arrive through a pooler that gives connections away', async () => {
    const deaf = connect({ url: await throughPooler(), max: 2 })
    expect(await checkWakeUps(deaf, listen, 300)).toMatchObject({
      level: 'fail',
      says: expect.stringContaining('no notification arrives within 300 ms'),
      run: 'export POSTHORN_RELAY_MODE=poll',
    })
    expect(await checkWakeUps(deaf, poll, 300)).toMatchObject({ level: 'ok' })
  })
})

/**
 * An address at which everything arrives but notifications, as behind a pooler in transaction mode:
 * they come on a connection that another client has by then, and are thrown away.
 */
async function throughPooler(): Promise<string> {
  const { hostname: host, port } = new URL(postgres.url)
  const proxy = await createTcpProxy({ host, port: Number(port) }, () => {
    let pending: Buffer = Buffer.alloc(0)
    return (bytes) => {
      pending = Buffer.concat([pending, bytes])
      const passed: Buffer[] = []
      while (pending.length >= 5 && pending.length > pending.readInt32BE(1)) {
        const size = 1 + pending.readInt32BE(1)
        if (String.fromCharCode(pending[0] ?? 0) !== 'A') passed.push(pending.subarray(0, size))
        pending = pending.subarray(size)
      }
      return Buffer.concat(passed)
    }
  })
  afterAll(() => proxy.cut())
  return proxy.by(postgres.url)
}

import { sql, transaction, uuid } from '@posthorn/engine'
import { listPaused } from '@posthorn/operate'
import { proxyTo, testDatabase } from '@posthorn/engine/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Status } from './commands/status.ts'
import { SHOP, posthorn, posthornHere, startPosthorn } from './testing/posthorn.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

/* Every command that looks or acts, on one database: a look and an act as processes, the rest in this one. */

const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP, POSTHORN_OPERATOR: 'ada' }

function run(...args: string[]) {
  return posthornHere(args, env)
}

function runAlone(...args: string[]) {
  return posthorn(args, env)
}

interface Shown {
  readonly transitions: readonly unknown[]
  readonly message: { readonly payload: unknown }
}

interface Listed {
  readonly items: readonly { readonly id: string }[]
  readonly nextCursor: string | null
}

async function json<Document>(...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }, stderr).toMatchObject({ code: 0 })
  return JSON.parse(stdout) as Document
}

const dead = uuid()

beforeAll(async () => {
  const before = await run('migrate', 'status', '--check')
  expect(before.code).toBe(3)
  expect(before.stdout).toMatch(/shop\/0001_shop +pending/)
  const { code, stdout, stderr } = await run('migrate')
  expect(code).toBe(0)
  expect(stdout).toContain('applied shop/0001_shop')
  expect(stderr).toMatch(/\d migrations applied/)
  await pool.query(sql`
    insert into shop.event (id, type, org_id, payload, status, attempts, error, error_code)
    values (${dead}, 'order.placed', 'acme', '{"card": "visa-4711", "n": 1}', 'dead', 3,
            ${'no such\naddress \u001b[2J'}, 'BAD_ADDRESS')`)
  for (let n = 0; n < 30; n += 1) {
    await pool.query(sql`
      insert into shop.event (id, type, org_id, status) values (${uuid()}, 'order.paid', 'acme', 'sent')`)
  }
  await pool.query(sql`
    insert into posthorn.alert (source, subject, code, detail)
    values ('shop.events', ${dead}, 'BAD_ADDRESS', 'no such address'), ('elsewhere', 'x', 'STUCK', 'y')`)
  await pool.query(sql`
    insert into posthorn.transition (outbox, message_id, from_state, to_state, attempt, code, actor)
    values ('shop.events', ${dead}, 'waiting', 'dead', 3, 'BAD_ADDRESS', 'relay')`)
})

describe('migrate', () => {
  test('twice does nothing, and the check is then positive', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
    const status = await json<{ pending: number; migrations: unknown[] }>(
      'migrate',
      'status',
      '--check',
    )
    expect(status.pending).toBe(0)
    expect(status.migrations).toContainEqual({
      set: 'shop',
      id: '0001_shop',
      appliedAt: expect.stringMatching(/Z$/),
    })
  })

  test('sql prints what others can apply, without a database', async () => {
    const { code, stdout } = await posthornHere(['migrate', 'sql'], { POSTHORN_CONFIG: SHOP })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^begin;/)
    expect(stdout).toContain('create schema shop;')
    expect(stdout).toMatch(/commit;\n$/)
  })
})

describe('status', () => {
  test('needs no secret of production, only its database', async () => {
    const production = { ...env, NODE_ENV: 'production' }
    expect((await posthornHere(['status'], production)).code).toBe(0)
    const without = await posthornHere(['status'], { ...production, DATABASE_URL: '' })
    expect(without.stderr).toContain('DATABASE_URL is missing')
    expect(without.code).toBe(2)
  })

  test('refuses a mode that there is not', async () => {
    const { code, stderr } = await posthornHere(['status'], { ...env, NODE_ENV: 'Production' })
    expect(stderr).toContain('NODE_ENV must be development, test or production')
    expect(code).toBe(2)
  })

  test('looks at a database of another machine without a switch', async () => {
    const elsewhere = { ...env, DATABASE_URL: 'postgres://u:p@db.invalid:1/x' }
    const { stderr } = await posthornHere(['status'], elsewhere)
    expect(stderr).toContain('db.invalid')
    expect(stderr).not.toContain('POSTHORN_REMOTE_DEVELOPMENT')
  })

  test('is a table for people', async () => {
    const { code, stdout, stderr } = await runAlone('status')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^OUTBOX +OLDEST DUE +RATE\/S +FAILED +RELAYS$/m)
    expect(stdout).toMatch(/^shop\.events +– +0\.0 +0% +0\n {2}waiting 0 {2}failed 0 {2}sent 30/m)
    expect(stdout).toContain('open alerts: elsewhere 1')
    // Nothing for a screen where there is none.
    expect(stdout).not.toContain('\x1b')
  })

  test('is a document for scripts', async () => {
    const { outboxes, alertsOpen } = await json<Status>('status')
    expect(alertsOpen).toEqual({ 'shop.events': 1, elsewhere: 1 })
    expect(outboxes.find(({ name }) => name === 'shop.events')).toMatchObject({
      counts: { sent: 30, dead: 1 },
      deadState: 'dead',
      paused: false,
      alertsOpen: 1,
    })
  })

  test('goes on with --watch, over an outage, until Ctrl-C', async () => {
    const line = await proxyTo(url)
    const args = ['status', '--watch', '--json', '--every', '100ms']
    const watching = startPosthorn(args, { ...env, DATABASE_URL: line.by(url) })
    const documents = () => watching.stdout().split('\n').slice(0, -1)
    await expect.poll(() => documents().length, { timeout: 30_000 }).toBeGreaterThan(2)
    line.cut()
    await expect
      .poll(() => watching.stderr(), { timeout: 30_000 })
      .toContain('database unavailable: ')
    const before = documents().length
    await line.heal()
    await expect.poll(() => documents().length, { timeout: 30_000 }).toBeGreaterThan(before + 2)
    for (const document of documents()) expect(document).toContain('"name":"shop.events"')
    watching.child.kill('SIGINT')
    expect((await watching.ended).code).toBe(130)
    line.cut()
  })
})

describe('pause and resume', () => {
  test('are seen by the engine and stand in the audit', async () => {
    const { code, stdout } = await run('pause', 'shop.events', '--reason', 'T-1')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'shop.events is paused\n' })
    expect(await listPaused(pool)).toMatchObject([
      { outbox: 'shop.events', pausedBy: 'cli:ada', reason: 'T-1' },
    ])
    const again = await run('pause', 'shop.events', '--by', 'bob')
    expect(again.stdout).toMatch(/^shop\.events is paused already, by cli:ada .* ago, T-1\n$/)
    expect((await run('status')).stdout).toMatch(/paused by cli:ada since .*: T-1/)
    expect(await json('resume', 'shop.events')).toEqual({
      outbox: 'shop.events',
      paused: false,
      changed: true,
    })
    expect((await run('resume', 'shop.events')).stdout).toBe('shop.events was not paused\n')
    expect(await listPaused(pool)).toEqual([])
    const { rows } = await pool.query(
      sql`select operation, actor from posthorn.operation order by id`,
    )
    expect(rows).toEqual([
      { operation: 'pause', actor: 'cli:ada' },
      { operation: 'resume', actor: 'cli:ada' },
    ])
  })

  test('of an outbox that is none name those there are', async () => {
    const { code, stderr } = await run('pause', 'shop.event')
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean shop.events?')
    expect(stderr).toContain('shop.orders')
  })

  test('wake the relays of other processes', async () => {
    const client = await pool.connect()
    try {
      const heard: string[] = []
      client.on('notification', ({ payload = '' }) => void heard.push(payload))
      await client.query('listen posthorn_wake')
      await transaction(pool, async (tx) => {
        await tx.query(sql`
          insert into posthorn.pause (outbox, paused_by) values ('shop.orders', 'test')`)
      })
      await runAlone('resume', 'shop.orders')
      await expect.poll(() => heard).toContain('ring shop.orders')
    } finally {
      await client.query('unlisten *')
      client.release()
    }
  })
})

describe('messages', () => {
  test('are listed, newest first, as many as wanted', async () => {
    const { code, stdout, stderr } = await run('messages', 'shop.events', '--limit', '5')
    expect(code).toBe(0)
    expect(stdout.trimEnd().split('\n')).toHaveLength(6)
    const cursor = /--cursor (\S+)/.exec(stderr)?.[1] ?? ''
    const rest = await json<Listed>('messages', 'shop.events', '--limit', '100', '--cursor', cursor)
    expect(rest.items).toHaveLength(26)
    expect(rest.nextCursor).toBeNull()
  })

  test('can be filtered, and text of others stays on its line', async () => {
    const { stdout } = await run('messages', 'shop.events', '--dead')
    expect(stdout.trimEnd().split('\n')).toHaveLength(2)
    expect(stdout).toContain('BAD_ADDRESS: no such address [2J')
    const { items } = await json<Listed>(
      'messages',
      'shop.events',
      '--search',
      'visa-4711',
      '--tenant',
      'acme',
    )
    expect(items).toMatchObject([{ id: dead, state: 'dead', key: null, attempts: 3 }])
  })

  test.each([
    [['shop.events', '--state', 'ded'], 'Did you mean dead?'],
    [['shop.events', '--key', 'x'], 'the outbox has no such column'],
    [['shop.events', '--cursor', 'x'], 'cursor'],
    [['shop.events', '--limit', '20000'], 'at most 10000'],
  ])('%j is refused', async (args, says) => {
    const { code, stderr } = await run('messages', ...args)
    expect(stderr).toContain(says)
    expect(code).toBe(2)
  })

  test('one by one with all that happened, without what is secret', async () => {
    const { code, stdout } = await run('message', 'shop.events', dead)
    expect(code).toBe(0)
    expect(stdout).toContain(`${dead} of shop.events`)
    expect(stdout).toContain('"card": "(hidden)"')
    expect(stdout).toMatch(/waiting → dead +relay +BAD_ADDRESS/)
    const document = await json<Shown>('message', 'shop.events', dead)
    expect(document.transitions).toMatchObject([{ from: 'waiting', to: 'dead', actor: 'relay' }])
    expect(document.message.payload).toEqual({ card: '(hidden)', n: 1 })
    expect(JSON.stringify(document)).not.toContain('4711')
  })

  test('that are none fail', async () => {
    for (const id of [uuid(), 'x', "'"]) {
      const { code, stderr } = await run('message', 'shop.events', id)
      expect(stderr).toContain('shop.events has no message')
      expect(code).toBe(1)
    }
  })
})

test('alerts are listed and acknowledged', async () => {
  const { stdout } = await run('alerts', '--source', 'shop.events')
  expect(stdout).toMatch(new RegExp(`open +shop\\.events +BAD_ADDRESS +${dead}: no such address`))
  const { items } = await json<Listed>('alerts')
  const [first, second] = items.map(({ id }) => id)
  const seen = await run('alerts', '--ack', first!, '--ack', second!)
  expect(seen.code).toBe(0)
  expect(seen.stdout).toContain('acknowledged by cli:ada')
  expect((await run('alerts')).stderr).toBe('no open alerts\n')
  expect((await json<Listed>('alerts', '--state', 'acknowledged')).items).toHaveLength(2)
  const unknown = await run('alerts', '--ack', '999', '--ack', 'x')
  expect(unknown.stderr).toBe('there is no alert 999\nthere is no alert x\n')
  expect(unknown.code).toBe(1)
})

test('debezium prints a connector, and refuses what is computed', async () => {
  const { code, stdout, stderr } = await run('debezium', '--outbox', 'shop.events')
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(JSON.parse(stdout)).toMatchObject({ config: { 'table.include.list': 'shop.event' } })
  const refused = await run('debezium', '--outbox', 'shop.order_event')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('payload is computed')
  const { POSTHORN_CONFIG, ...bare } = env
  const named = ['debezium', '--config', POSTHORN_CONFIG, '--outbox', 'shop.events']
  expect(await posthornHere(named, bare)).toMatchObject({ code: 0, stdout })
  const unnamed = await run('debezium', '--outbox', 'shop.events', '--sql')
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--headers') })
  const apart = await run('debezium', '--outbox', 'shop.events', '--headers', 'region', '--sql')
  expect(apart).toMatchObject({ code: 2, stderr: expect.stringContaining('columns of their own') })
})

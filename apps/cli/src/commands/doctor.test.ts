import { sql, transaction } from '@posthorn/engine'
import { pause, useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import { temporaryPostgres } from '@posthorn/postgres'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SHOP, posthorn, posthornHere } from '../testing/posthorn.ts'
import { shopEvents } from '../testing/shop.ts'
import { checkClock } from '../doctor/engine.ts'
import type { Finding } from '../doctor/finding.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

// Tests run on a server that spares itself fsync; the doctor would be right to complain.
const postgres = await temporaryPostgres({})
afterAll(() => postgres.close())
process.env['DATABASE_URL'] = postgres.url
const { url, pool } = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'posthorn-doctor-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP, POSTHORN_DATA_DIR: folder }

async function examine(more: NodeJS.ProcessEnv = {}) {
  const { code, stdout } = await posthornHere(['doctor', '--json'], { ...env, ...more })
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] }
  expect(healthy).toBe(code === 0)
  for (const { todo, run } of findings) expect([todo, run]).not.toContain(undefined)
  const bad = findings.filter(({ level }) => level !== 'ok')
  for (const { todo } of bad) expect(todo).toBeTruthy()
  return { code, findings, bad }
}

function withPassword(password: string): string {
  const wrong = new URL(url)
  wrong.password = password
  return wrong.href
}

beforeAll(async () => {
  const { code, bad } = await examine()
  expect(code).toBe(1)
  expect(bad).toMatchObject([
    { check: 'migrations', says: expect.stringContaining('shop/0001_shop') },
  ])
  expect((await posthornHere(['migrate'], env)).code).toBe(0)
})

test('a healthy database has no failures, and says what it looked at', async () => {
  const { code, stdout, stderr } = await posthorn(['doctor'], env)
  expect(code).toBe(0)
  for (const check of [
    ...['node', 'open files', 'configuration', 'data folder', 'disk', 'database', 'server'],
    ...['connections', 'settings', 'time', 'wake-ups', 'transactions', 'locks', 'brokers'],
    ...['migrations', 'clock', 'vacuum', 'alerts'],
  ]) {
    expect(stdout).toMatch(new RegExp(`^ok {4}${check}: `, 'm'))
  }
  expect(stdout).toContain('ok    shop.events: no problem found')
  expect(stdout).toContain(
    'warn  relays: no heartbeat for 15 s\n      → start one\n        posthorn relay\n',
  )
  expect(stderr).toBe('1 warning\n')
  expect((await posthornHere(['doctor', '--strict'], env)).code).toBe(3)
})

test('a wrong password and an unreachable server are different findings, and no password is shown', async () => {
  const wrong = await posthornHere(['doctor'], { ...env, DATABASE_URL: withPassword('hunter2') })
  expect(wrong.code).toBe(1)
  expect(wrong.stdout).toContain('the password or the user is wrong')
  expect(wrong.stdout).not.toContain('hunter2')
  const { bad } = await examine({ DATABASE_URL: 'postgres://x:hunter2@127.0.0.1:1/x' })
  expect(bad).toMatchObject([
    { check: 'database', level: 'fail', says: expect.stringContaining('ECONNREFUSED') },
  ])
})

test('every mistake of the environment is a finding', async () => {
  const { code, bad } = await examine({ PORT: 'x', POSTHORN_POOL_SIZE: '1' })
  expect(code).toBe(1)
  expect(bad.map(({ check, level }) => `${level} ${check}`)).toEqual([
    'fail configuration',
    'fail configuration',
  ])
})

test('a slip of the pen is a warning with what was meant, the name of the operator is not', async () => {
  const slips = { POSTHORN_ROLE: 'api', KAFKA_BROKER: 'x', DATABASE_UR: 'x' }
  const { bad } = await examine({ ...slips, POSTHORN_OPERATOR: 'ada', DATA: 'x', KAFKA_HOME: 'x' })
  const found = bad.filter(({ check }) => check === 'configuration')
  expect(found.map(({ says, todo }) => `${says}: ${todo}`)).toEqual([
    'unknown variable POSTHORN_ROLE: did you mean POSTHORN_ROLES?',
    'unknown variable KAFKA_BROKER: did you mean KAFKA_BROKERS?',
  ])
})

test('a paused outbox, an open alert and a late message are seen', async () => {
  await transaction(pool, (tx) => pause(tx, shopEvents, { by: 'ada' }))
  await pool.query(sql`
    insert into posthorn.alert (source, subject, code, detail) values ('shop.events', 'x', 'Y', 'z')`)
  await pool.query(sql`
    insert into shop.order_event (id, order_id, due_at)
    values (gen_random_uuid(), 'a', now() - interval '1 h')`)
  const { code, bad } = await examine()
  expect(bad).toMatchObject([
    { check: 'relays', level: 'warn' },
    { check: 'shop.events', level: 'warn', says: 'it is paused by ada' },
    { check: 'shop.orders', level: 'fail', says: 'a message has been due for 1h' },
    { check: 'alerts', level: 'warn', says: '1 open', run: 'posthorn alerts' },
  ])
  expect(code).toBe(1)
  await pool.query('truncate shop.order_event, posthorn.alert, posthorn.pause')
})

test('brokers that cannot be reached fail', async () => {
  const { bad } = await examine({
    KAFKA_BROKERS: '127.0.0.1:1',
    RABBITMQ_URL: 'amqp://me:hunter2@127.0.0.1:2',
  })
  expect(bad.filter(({ level }) => level === 'fail').map(({ check }) => check)).toEqual([
    'kafka',
    'rabbitmq',
  ])
  expect(JSON.stringify(bad)).not.toContain('hunter2')
})

test('production on a clock that can be moved is found', async () => {
  const production = { production: true }
  expect(await checkClock(pool, production)).toMatchObject({ level: 'ok' })
  await useMovableClock(pool)
  expect(await checkClock(pool, production)).toMatchObject({ level: 'warn' })
  await pool.query(sql`update posthorn.clock set ahead = interval '6 h'`)
  const says = 'the business clock is 6h ahead'
  expect(await checkClock(pool, production)).toMatchObject({ level: 'fail', says })
  expect((await examine()).findings).toContainEqual(
    expect.objectContaining({ check: 'clock', level: 'ok', says }),
  )
})

test('a secret that others can read fails', async () => {
  const file = join(folder, 'jwt-secret')
  await writeFile(file, 's')
  await chmod(file, 0o644)
  expect((await examine()).bad).toContainEqual({
    check: 'secrets',
    level: 'fail',
    says: `others can read ${file}`,
    todo: 'let only its owner read it',
    run: `chmod 600 ${file}`,
  })
  await rm(file)
})

test('a folder without a database is no failure, only a warning', async () => {
  const { code, bad } = await examine({ DATABASE_URL: '' })
  expect(code).toBe(0)
  expect(bad).toMatchObject([{ check: 'data folder', level: 'warn' }])
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Finding } from './doctor/finding.ts'
import { SHOP, posthornHere, startPosthorn } from './testing/posthorn.ts'

const CONFIG = fileURLToPath(new URL('./testing/outboxes.ts', import.meta.url))
const database = await testDatabase()
const folder = await mkdtemp(join(tmpdir(), 'posthorn-own-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = { DATABASE_URL: database.url, POSTHORN_DATA_DIR: folder }

async function schemas(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname !~ '^pg_|information_schema' order by 1`,
  )
  return rows.map(({ name }) => name)
}

test("migrate, status and doctor need the engine's schema and the user's table alone", async () => {
  const migrated = await posthornHere(['migrate', '--config', CONFIG], env)
  expect(migrated).toMatchObject({ code: 0, stderr: 'nothing was pending\n' })
  expect(await schemas()).toEqual(['market', 'posthorn', 'public'])
  const status = await posthornHere(['status', '--once', '--json', '--config', CONFIG], env)
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(status.stdout)).toMatchObject({ outboxes: [{ name: 'market.outbox' }] })

  const production = { ...env, NODE_ENV: 'production', POSTHORN_JWT_SECRET: 'j9'.repeat(20) }
  const doctor = await posthornHere(['doctor', '--json', '--config', CONFIG], production)
  const { findings } = JSON.parse(doctor.stdout) as { findings: Finding[] }
  expect(findings).toContainEqual({
    ...{ check: 'market.outbox', level: 'ok', says: 'no problem found', todo: null, run: null },
  })
  // No setting of a system is asked for.
  expect(findings.filter(({ check }) => check === 'configuration')).toMatchObject([{ level: 'ok' }])
  // What else is wrong is the test server's: it spares itself fsync and autovacuum.
  const failed = findings.filter(({ level }) => level === 'fail')
  expect(failed.filter(({ check }) => !['settings', 'secrets', 'vacuum'].includes(check))).toEqual(
    [],
  )
  expect(await schemas()).toEqual(['market', 'posthorn', 'public'])
})

test('sql prints what another tool applies, and since a step only the later ones', async () => {
  const whole = await posthornHere(['sql', '--config', CONFIG])
  expect(whole.stdout).toContain('-- engine/0001_engine')
  expect(whole.stdout).toContain('create table if not exists market.outbox')
  expect(whole.stdout).not.toMatch(/^(begin|commit);/m)
  const later = await posthornHere(['sql', '--config', CONFIG, '--since', '0001'])
  expect(later.stdout).not.toContain('-- engine/0001')
  expect(later.stdout).toContain('create table if not exists market.outbox')
  const wrong = await posthornHere(['sql', '--config', CONFIG, '--since', 'market/0001'])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: engine') })
})

test('systems are those of the module that POSTHORN_SYSTEMS names, and what it exports must be right', async () => {
  const listed = async (more: NodeJS.ProcessEnv) => {
    const { code, stdout, stderr } = await posthornHere(['migrate', 'sql'], more)
    const sets = [...stdout.matchAll(/^-- ([\w-]+)\/0001_/gm)].map(([, set]) => set)
    return code === 0 ? sets.join(' ') : stderr
  }
  expect(await listed({ POSTHORN_CONFIG: CONFIG })).toBe('engine')
  expect(await listed({ POSTHORN_CONFIG: SHOP })).toBe('engine postgres-topics shop')
  expect(await listed({ POSTHORN_CONFIG: SHOP, POSTHORN_SYSTEMS: 'none' })).not.toContain('shop')
  expect(await listed({ POSTHORN_CONFIG: SHOP, POSTHORN_SYSTEMS: 'shpo' })).toContain(
    'POSTHORN_SYSTEMS must be all, none or some of shop',
  )
  const neither = fileURLToPath(new URL('./terminal/words.ts', import.meta.url))
  expect(await listed({ POSTHORN_CONFIG: neither })).toContain(
    'must export `outboxes` or `systems`',
  )
})

test('the dashboard shows the outboxes, relays nothing and says what there is', async () => {
  const { child, ended, stdout } = startPosthorn(
    ['dashboard', '--config', CONFIG, '--port', '0'],
    env,
  )
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await expect.poll(stdout, { timeout: 110_000 }).toContain('Ctrl-C')
  const url = /ready: (http:\S+)/.exec(stdout())?.[1] ?? ''
  const token = /#token=(\S+)/.exec(stdout())?.[1] ?? /token {7}[^\n]*\n(\S+)/.exec(stdout())?.[1]
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const { body } = await get('/api/v1/overview')
  expect(body).toMatchObject({ outboxes: [{ name: 'market.outbox', relays: 0 }] })
  expect((await get('/api/v1/erasures')).status).toBe(404)
})

test('asyncapi describes the outboxes without a database', async () => {
  const { code, stdout } = await posthornHere(['asyncapi', '--config', CONFIG, '--title', 'Market'])
  expect(code).toBe(0)
  const { asyncapi, info, channels } = JSON.parse(stdout)
  expect({ asyncapi, title: info.title, channels: Object.keys(channels) }).toEqual({
    ...{ asyncapi: '3.0.0', title: 'Market', channels: ['handlers.market.outbox'] },
  })
})

test('adopt prints a definition, and its SQL alone; a table that is not there is a mistake', async () => {
  await database.pool.query(
    'create table market.old_outbox (id uuid primary key, type text not null, payload jsonb)',
  )
  const printed = await posthornHere(['adopt', 'market.old_outbox'], env)
  expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('- Where messages go') })
  expect(printed.stdout).toMatch(/^export const outbox = defineOutbox<OutboxRow>/m)
  const { stdout } = await posthornHere(['adopt', 'market.old_outbox', '--sql'], env)
  expect(stdout).toMatch(/^alter table market\.old_outbox add column status text/)
  await database.pool.query(stdout)
  const missing = await posthornHere(['adopt', 'market.nothing'], env)
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no table market.nothing'),
  })
})

import { sql, uuid } from '@posthorn/engine'
import { testDatabase } from '@posthorn/engine/testing'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SHOP, posthornHere, startPosthorn } from '../testing/posthorn.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

const { url, pool } = await testDatabase()
const env = { DATABASE_URL: url, POSTHORN_CONFIG: SHOP, POSTHORN_OPERATOR: 'ada' }

function replay(...args: string[]) {
  return posthornHere(['replay', 'shop.events', ...args], env)
}

async function countOf(status: string): Promise<number> {
  const { rows } = await pool.query(sql`
    select count(*)::int as n from shop.event where status = ${status}`)
  return rows[0].n
}

/** Dead messages, made one second apart, the last one now. */
async function bury(count: number): Promise<void> {
  await pool.query(sql`
    insert into shop.event (id, type, org_id, status, attempts, error_code, created_at)
    select gen_random_uuid(), case when n % 2 = 0 then 'even' else 'odd' end, 'acme', 'dead', 3,
           case when n = 1 then 'RARE' else 'COMMON' end, now() - (${count} - n) * interval '1 s'
      from generate_series(1, ${count}) as n`)
}

beforeAll(async () => {
  expect((await posthornHere(['migrate'], env)).code).toBe(0)
})

beforeEach(async () => {
  await pool.query(sql`truncate shop.event, posthorn.transition`)
})

test('counts, and changes nothing, with --dry-run', async () => {
  await bury(3)
  expect(await replay('--dead', '--dry-run')).toEqual({
    code: 0,
    stdout: '3 messages of shop.events to replay\n',
    stderr: '',
  })
  const { stdout } = await replay('--dry-run', '--type', 'even', '--json')
  expect(JSON.parse(stdout)).toEqual({
    outbox: 'shop.events',
    matched: 1,
    replayed: 0,
    dryRun: true,
  })
  expect(await countOf('dead')).toBe(3)
})

test('says how many and asks for --yes without a terminal', async () => {
  await bury(2)
  const { code, stderr } = await replay()
  expect(stderr).toContain('Replay 2 messages of shop.events?')
  expect(stderr).toContain('--yes')
  expect(code).toBe(2)
  expect(await countOf('dead')).toBe(2)
})

test('replays what matches, in the name of the operator', async () => {
  await bury(4)
  const { code, stdout } = await replay('--code', 'RARE', '--yes', '--reason', 'T-481')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 message of shop.events replayed\n' })
  expect(await countOf('dead')).toBe(3)
  const { rows } = await pool.query(sql`select actor, reason, code from posthorn.transition`)
  expect(rows).toEqual([{ actor: 'cli:ada', reason: 'T-481', code: 'REPLAYED' }])
})

describe('what matches', () => {
  test.each([
    [['--since', '90s'], 90],
    [['--until', '90s'], 10],
    [['--until', '2001-01-01'], 0],
    [['--type', 'odd', '--since', '90s'], 45],
    [['--tenant', 'nobody'], 0],
    [['--code', 'COMMON'], 99],
  ])('%j', async (args, matched) => {
    await bury(100)
    const { stdout } = await replay('--dry-run', '--json', ...args)
    expect(JSON.parse(stdout).matched).toBe(matched)
  })

  test('ids, several of them', async () => {
    const ids = [uuid(), uuid(), uuid()]
    for (const id of ids) {
      await pool.query(sql`
        insert into shop.event (id, type, org_id, status) values (${id}, 't', 'o', 'dead')`)
    }
    const [first = '', second = ''] = ids
    const { stdout } = await replay('--yes', '--json', '--id', first, '--id', second)
    expect(JSON.parse(stdout)).toMatchObject({ matched: 2, replayed: 2 })
    expect(await countOf('dead')).toBe(1)
  })

  test('nothing is no failure', async () => {
    expect(await replay('--yes')).toMatchObject({ code: 0 })
  })

  test.each([
    [['--id', 'x'], 'ids of shop.events are of type uuid'],
    [['--key', 'x'], 'the outbox has no such column'],
  ])('%j cannot', async (args, says) => {
    const { code, stderr } = await replay('--yes', ...args)
    expect(stderr).toContain(says)
    expect(code).toBe(2)
  })
})

test('more than a batch is worked through, the oldest first', async () => {
  await bury(11_000)
  const { code, stdout } = await replay('--yes', '--limit', '10500')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '10,500 messages of shop.events replayed\n' })
  expect(await countOf('waiting')).toBe(10_500)
  const { rows } = await pool.query(sql`
    select bool_and(created_at > (select max(created_at) from shop.event where status = 'waiting')) as newest
      from shop.event where status = 'dead'`)
  expect(rows).toEqual([{ newest: true }])
})

test('a rate holds over batches, and Ctrl-C leaves the rest as it was', async () => {
  await bury(10_500)
  const running = startPosthorn(['replay', 'shop.events', '--yes', '--per-second', '100'], env)
  await expect.poll(() => countOf('waiting'), { timeout: 25_000 }).toBe(10_000)
  running.child.kill('SIGINT')
  const { code, stdout, stderr } = await running.ended
  expect(stdout).toBe('10,000 messages of shop.events replayed\n')
  expect(stderr).toBe('interrupted; the other 500 are as they were\n')
  expect(code).toBe(130)
  expect(await countOf('dead')).toBe(500)
  const { rows } = await pool.query(sql`
    select extract(epoch from max(due_at) - min(due_at))::float8 as seconds
      from shop.event where status = 'waiting'`)
  expect(rows[0].seconds).toBeCloseTo(99.99, 1)
})

test('stops when what was replayed dies again', async () => {
  await bury(10_100)
  await pool.query(`
    create function shop.die() returns trigger language plpgsql as
      $$ begin new.status := 'dead'; return new; end $$;
    create trigger die before update on shop.event for each row execute function shop.die()`)
  try {
    const { code, stdout, stderr } = await replay('--yes')
    expect(stdout).toBe('10,000 messages of shop.events replayed\n')
    expect(stderr).toContain('100 messages died again meanwhile: the cause is not gone')
    expect(code).toBe(1)
  } finally {
    await pool.query('drop trigger die on shop.event; drop function shop.die()')
  }
})

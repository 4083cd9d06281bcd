import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog, toMs, transaction, uuid, type Duration } from '@posthorn/engine'
import {
  applyRetention,
  continueErasures,
  getErasure,
  placeHold,
  releaseHold,
  requestErasure,
  sealAudits,
  setRetention,
  verifyAudits,
  type DataClass,
  type RetentionRule,
} from '@posthorn/operate'
import { type Subject, type SubjectKind } from '@posthorn/operate/internal'
import { testDatabase } from '@posthorn/engine/testing'
import { allMigrations, loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'

interface World {
  readonly org: string
  /** How long ago everything happened and ended. */
  readonly age: string
  /** False: nothing has ended. */
  readonly over: boolean
  /** Stands in every text that can name a person. */
  readonly email?: string
  readonly phone?: string
  /** The person's id with the merchant: of a payment, a bank's line, a case. */
  readonly externalId?: string
}

/** Ids of the things of a world on which a legal hold can be placed, by kind. */
type Things = Readonly<Record<string, string>>

/**
 * Fills every table that retention or erasure knows with rows of one organisation. Triggers and
 * references do not look: the rows are as old as they say.
 */
async function makeWorld(pool: Pool, world: World): Promise<Things> {
  const { org, age, over, email = 'x@y.test', phone = '+4400', externalId = 'none' } = world
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    const { rows } = await client.query<{ things: Things }>(
      'select public.make_world($1, posthorn.now() - $2::interval, $3, $4, $5, $6) as things',
      [org, age, over, email, phone, externalId],
    )
    await client.query('commit')
    return rows[0]?.things ?? {}
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** What `makeWorld` needs in the database, with the systems' blocks. */
const worldSql = (blocks: readonly string[]) => `
create function public.uuid_of(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
          || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
$$;

create function public.make_world(org text, at timestamptz, over boolean, email text, phone text, external text)
  returns jsonb language plpgsql as $$
declare
  note text := 'Ada, ' || email || ' or ' || phone;
  person jsonb := jsonb_build_object('email', email, 'deep', jsonb_build_array(phone, replace(phone, '+', '')::bigint), 'name', 'Ada');
  message uuid := public.uuid_of(at);
  things jsonb := '{}';
begin
  insert into posthorn.operation (operation, subject, tenant, actor, reason, at) values ('replay', org, org, 'u', note, case when over then at else now() end);
  insert into posthorn.alert (source, subject, tenant, code, detail, raised_at, recovered_at) values ('test', org, org, 'X', note, at, case when over then at end);
  insert into posthorn.consumer_message (topic, group_name, state, message_id, tenant, headers, payload, error, due_at, created_at, died_at)
  values ('t', org, case when over then 'dead' else 'retry' end, message::text, org, '{}', person, note, at, at, case when over then at end);
  insert into posthorn.transition (outbox, message_id, to_state, error, actor, at, tenant) values ('test', message::text, 'SENT', note, 'RELAY', at, org);
  insert into posthorn.topic (name, partitions, created_at) values ('t-' || org, 1, at);
  insert into posthorn.topic_message (topic, partition, log_offset, id, type, version, tenant, occurred_at, headers, payload, appended_at)
  values ('t-' || org, 0, 0, message::text, 'x', 1, org, at, '{}', person, case when over then at else now() end);
  if not over then
    insert into posthorn.topic_group_partition (topic, group_name, partition, committed_offset) values ('t-' || org, 'g', 0, 0);
  end if;
  insert into incidents.incident (id, source, code, tenant, opened_at, closed_at, owner)
  values (public.uuid_of(at), 'test ' || org || random(), 'X', org, at, case when over then at end, email);
  insert into incidents.notice (id, channel_id, tenant, kind, payload, status, created_at)
  values (public.uuid_of(at), public.uuid_of(at), org, 'opened', person, case when over then 'delivered' else 'pending' end, at);
  ${blocks.join('\n')}
  return things;
end $$;`

const contributed = await contributionsTo('retention')
const systems = await loadSystems({})
const [, ...migrations] = await allMigrations(systems)
const { pool } = await testDatabase({
  migrations,
  sql: worldSql(contributed.map(({ world }) => world)),
})
const folder = await mkdtemp(join(tmpdir(), 'posthorn-retention-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const openWith = (keeps: string) =>
  openSystems(systems, {
    configuration: readConfiguration(
      { POSTHORN_DATA_DIR: folder, POSTHORN_RETENTION: keeps },
      systems,
    ),
    pool,
    log: silentLog,
    baseUrl: () => 'http://127.0.0.1:1',
  })
const { retention } = await openWith('')

test('the environment sets times that hold by default, and none that cannot be', async () => {
  const settable = retention.classes.filter(({ fixed, least }) => !fixed && least !== undefined)
  for (const { name, least = '1d' } of settable) {
    const { retention: set } = await openWith(`${name}=9000d,engine.topics=forever`)
    expect(Object.fromEntries(set.classes.map((each) => [each.name, each.keep]))).toEqual({
      ...Object.fromEntries(retention.classes.map((each) => [each.name, each.keep])),
      ...{ [name]: '9000d', 'engine.topics': 'forever' },
    })
    await expect(openWith(`${name}=${toMs(least) / 3_600_000 - 1}h`)).rejects.toMatchObject({
      mistakes: [expect.stringMatching(`${least} or more`)],
    })
  }
  expect(settable.length).toBeGreaterThan(0)
  const fixed = retention.classes.find((each) => each.fixed)?.name
  await expect(openWith(`engine.poems=1d,${fixed}=1d`)).rejects.toMatchObject({
    mistakes: [/no class of data/, /cannot be set/].map((text) => expect.stringMatching(text)),
  })
})

const ruled = retention.classes.flatMap((dataClass) =>
  (dataClass.rules ?? []).map((rule) => ({ dataClass, rule })),
)
const OWN = ruled.filter(({ rule }) => rule.org !== undefined)
const nameOf = ({ dataClass, rule }: { dataClass: DataClass; rule: RetentionRule }) =>
  `${dataClass.name} in ${rule.table}`

const days = (keep: DataClass['keep']) =>
  keep !== 'forever' && toMs(keep) % 86_400_000 === 0 ? `${toMs(keep) / 86_400_000}d` : keep

/** How many rows there still are, or are still as they were, by organisation. */
async function countOf({ table, org, set, when }: RetentionRule): Promise<Counts> {
  const unchanged = set && when !== undefined ? `where ${when}` : ''
  const { rows } = await pool.query<{ org: string; count: number }>(
    `select (${org}) as org, count(*)::int as count from ${table} as t ${unchanged} group by 1`,
  )
  return Object.fromEntries(rows.map((row) => [row.org, row.count]))
}

type Counts = Readonly<Record<string, number>>

const OLD = '40 years'
const before: Record<string, Counts> = {}
let things: Things
let removed: Readonly<Record<string, number>>
let mostAtOnce = 0

beforeAll(async () => {
  await makeWorld(pool, { org: 'due', age: OLD, over: true })
  await makeWorld(pool, { org: 'busy', age: OLD, over: false })
  await makeWorld(pool, { org: 'young', age: '1 minute', over: true })
  await makeWorld(pool, { org: 'longer', age: OLD, over: true })
  await makeWorld(pool, { org: 'held', age: OLD, over: true })
  things = await makeWorld(pool, { org: 'thing', age: OLD, over: true })
  await transaction(pool, async (tx) => {
    for (const { name } of retention.classes) {
      const set = { class: name, tenant: 'longer', keep: 'forever', by: 'ada' } as const
      await setRetention(tx, retention, set)
    }
    const hold = { reason: 'a lawsuit', by: 'ada' }
    await placeHold(tx, retention, { tenant: 'held', kind: 'organisation', ...hold })
    for (const [kind, subject] of Object.entries(things)) {
      const placed = await placeHold(tx, retention, { tenant: 'thing', kind, subject, ...hold })
      expect(placed.kind, kind).toBe('placed')
    }
  })
  await sealAudits(pool)
  for (const each of OWN) before[nameOf(each)] = await countOf(each.rule)
  // What a process leaves that loses every third statement, batch by batch, others go on with.
  for (const every of [3, 7, 11])
    await applyRetention(failing(pool, every), retention, { batch: 1 })
  const runs = await Promise.all([1, 2].map(() => applyRetention(pool, retention, { batch: 2 })))
  removed = runs[0]?.removed ?? {}
})

/** A pool that loses the answer of every so many statements, after they were done. */
function failing(target: Pool, every: number): Pool {
  let count = 0
  const lose = () => {
    if (++count % every === 0) throw new Error('the connection was lost')
  }
  return new Proxy(target, {
    get(of, name) {
      if (name === 'connect') {
        return async () => {
          const client = await of.connect()
          return new Proxy(client, {
            get(inner, property) {
              const value: unknown = Reflect.get(inner, property)
              if (typeof value !== 'function') return value
              if (property !== 'query') return value.bind(inner) as unknown
              return async (statement: string) => {
                const result = await inner.query<{ count?: number }>(statement)
                mostAtOnce = Math.max(mostAtOnce, result.rows[0]?.count ?? 0)
                if (!/^(begin|rollback)/.test(statement)) lose()
                return result
              }
            },
          })
        }
      }
      const value: unknown = Reflect.get(of, name)
      return typeof value === 'function' ? (value.bind(of) as unknown) : value
    },
  })
}

describe('the catalogue', () => {
  test('has every table with a time in it, or says why it is kept', async () => {
    const { rows } = await pool.query<{ table: string }>(`
      select distinct c.oid::regclass::text as table
        from pg_class as c join pg_attribute as a on a.attrelid = c.oid
       where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
         and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype)
         and c.relnamespace::regnamespace::text !~ '^(pg_|information_schema|public|simulators)'`)
    const known = new Set([
      ...retention.classes.flatMap(({ rules = [], maintained = [] }) =>
        [...rules, ...maintained].map(({ table }) => table),
      ),
      ...Object.keys(retention.kept ?? {}),
    ])
    expect(rows.map(({ table }) => table).filter((table) => !known.has(table))).toEqual([])
    const present = new Set(rows.map(({ table }) => table))
    const named = Object.keys(retention.kept ?? {})
    expect(named.filter((table) => !present.has(table))).toEqual([])
  })

  const byName = ([one]: unknown[], [other]: unknown[]) => String(one).localeCompare(String(other))

  test('is what the pages about it say', async () => {
    const root = join(import.meta.dirname, '../..')
    const paths = [
      'docs/operate/retention.md',
      ...globSync('systems/*/reference.md', { cwd: root }),
    ]
    const pages = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
    const listed = [
      ...pages
        .join('\n')
        .matchAll(/^\| `([\w.-]+)` *\|[^|]*\| *(\w+)( \(fixed\))? *\| *(\S+) *\|/gm),
    ]
    expect(
      listed
        .map(([, name, keep, fixed, least]) => [name, keep, fixed !== undefined, least])
        .toSorted(byName),
    ).toEqual(
      retention.classes
        .map(({ name, keep, fixed, least }) => {
          // The archive is kept as long as the outbox of an installed system wants it.
          const kept = name === 'engine.archive' ? expect.any(String) : days(keep)
          return [name, kept, fixed === true, least === undefined ? '–' : days(least)]
        })
        .toSorted(byName),
    )
  })

  test('has rows for every rule in this test', () => {
    for (const each of OWN) expect(before[nameOf(each)]?.['due'], nameOf(each)).toBeGreaterThan(0)
  })
})

test.each(OWN.map((each) => [nameOf(each), each.rule] as const))(
  '%s goes when it is over and past its time, and stays where it is in flight, young, set or held',
  async (name, rule) => {
    const [was = {}, is] = [before[name], await countOf(rule)]
    expect(is['due'], 'due').toBeUndefined()
    // What has no state of its own is over when it is written.
    const isStateless = rule.when === undefined && !rule.dated.includes('select')
    if (!isStateless) expect(is['busy'], 'busy').toBe(was['busy'])
    for (const org of ['young', 'longer', 'held']) expect(is[org], org).toBe(was[org])
    if (rule.things) expect(is['thing'], 'thing').toBe(was['thing'])
    // What others name stays with them, and placing the holds is in the audit.
    else if (!rule.when?.includes('not exists')) {
      expect(is['thing'] ?? 0, 'thing').toBeLessThan(was['thing'] ?? 0)
    }
  },
)

test('a second run finds nothing more', async () => {
  const again = await applyRetention(pool, retention)
  expect(again.more).toBe(false)
  expect(Object.values(again.removed).filter((count) => count > 0)).toEqual([])
  expect(Object.keys(removed)).toEqual(retention.classes.map(({ name }) => name))
  const { rows } = await pool.query(
    'select class from posthorn.retention_run where error is not null',
  )
  expect(rows).toEqual([])
})

describe('erasing a person', () => {
  const ada = { email: 'Ada.L+x@example.org', phone: '+16505551234', externalId: 'customer-0815' }
  // None of them can come up by chance in an id or a time, which are in every row.
  const needles = ['ada.l+x@example.org', '16505551234', 'customer-0815', 'PIN-4711', 'Hi Ada']
  const others = {
    email: 'bada.l+x@example.org',
    phone: '+165055512345',
    externalId: 'customer-08155',
  }
  const sealed = new Map<string, Subject>()

  beforeAll(async () => {
    await makeWorld(pool, { org: 'ours', age: '1 hour', over: true, ...ada })
    await makeWorld(pool, { org: 'neighbour', age: '1 hour', over: true, ...others })
    // A column that no code knows: its declaration alone is enough.
    const simple = retention.personal?.find((each) => !each.audit && each.org === 't.org_id')
    const { table, org } = simple ?? { table: '', org: '' }
    await pool.query(`
      alter table ${table} add column nickname text;
      comment on column ${table}.nickname is 'personal'`)
    await pool.query(`update ${table} as t set nickname = $1 where (${org}) = 'ours'`, [ada.email])
  })

  const ask = (kind: SubjectKind, value: string, tenant = 'ours') =>
    transaction(pool, async (tx) => {
      const id = uuid()
      const asked = {
        id,
        tenant,
        kind,
        digest: createHash('md5').update(value).digest('hex'),
        sealed: id,
        by: 'root',
      }
      const made = await requestErasure(tx, { ...asked, reason: 'a letter' })
      if (made.created) sealed.set(id, { kind, value })
      return made
    })
  const work = (on: Pool, again: Duration = '0ms') =>
    continueErasures(on, {
      tables: retention.personal ?? [],
      open: (id) => sealed.get(id)!,
      batch: 2,
      again,
    })

  /** Tables of all systems in which a text is found, in any column, also in bytes. */
  async function placesOf(texts: readonly string[], org?: string): Promise<string[]> {
    const { rows: tables } = await pool.query<{ name: string }>(`
      select oid::regclass::text as name from pg_class
       where relkind in ('r', 'p') and not relispartition
         and relnamespace::regnamespace::text !~ '^(pg_|information_schema|public|simulators)'`)
    const patterns = texts.flatMap((text) => [
      `%${text}%`,
      `%${Buffer.from(text).toString('hex')}%`,
    ])
    const found: string[] = []
    for (const { name } of tables) {
      const { rows } = await pool.query<{ n: number }>(
        `select count(*)::int as n from ${name} as t
          where t::text ilike any($1) and ($2::text is null or t::text like '%' || $2 || '%')`,
        [patterns, org ?? null],
      )
      if ((rows[0]?.n ?? 0) > 0) found.push(name)
    }
    return found
  }
  const sums = async () => {
    const each = contributed.flatMap((one) => Object.entries(one.sums ?? {}))
    const columns = each.map(([name, expression]) => `(${expression}) as ${name}`)
    return (await pool.query(`select ${columns.join(', ') || '1'}`)).rows
  }

  test('leaves the person nowhere, every sum as it was, and others alone', async () => {
    expect((await placesOf(['16505551234'])).length).toBeGreaterThan(3 * contributed.length)
    const totals = await sums()
    const neighbour = await placesOf([others.email, others.externalId, '165055512345'])
    const { erasure } = await ask('email', ada.email)
    expect(await ask('email', ada.email)).toMatchObject({
      created: false,
      erasure: { id: erasure.id },
    })
    await ask('phone', ada.phone)
    await ask('externalId', ada.externalId)
    for (const every of [5, 9]) await work(failing(pool, every)).catch(() => undefined)
    await work(pool)
    expect(await placesOf(needles, 'ours')).toEqual([])
    expect(await placesOf([others.email, others.externalId, '165055512345'])).toEqual(neighbour)
    expect(await sums()).toEqual(totals)
    const { rows } = await pool.query(
      'select status, sealed_subject, held::int, in_flight::int from posthorn.erasure',
    )
    expect(rows).toEqual(
      [1, 2, 3].map(() => ({ status: 'done', sealed_subject: null, held: 0, in_flight: 0 })),
    )
    await sealAudits(pool)
    const audits = await verifyAudits(pool)
    expect(audits.findings).toEqual([])
    expect(audits.removed).toBeGreaterThan(3)
    for (const { erased } of contributed) await erased?.(pool)
  })

  test('waits for what is in flight and what is held, and goes on when it is free', async () => {
    const eve = { email: 'eve@example.org', phone: '+16505550000', externalId: 'customer-7' }
    await makeWorld(pool, { org: 'flying', age: '1 hour', over: false, ...eve })
    const sued = await makeWorld(pool, { org: 'sued', age: '1 hour', over: true, ...eve })
    const held = contributed.flatMap((each) => each.held ?? [])
    const busy = contributed.flatMap((each) => each.busy ?? [])
    const holds = await transaction(pool, (tx) =>
      Promise.all(
        held.map(({ kind }) =>
          placeHold(tx, retention, {
            ...{ tenant: 'sued', kind, subject: sued[kind] ?? '', reason: 'a lawsuit', by: 'root' },
          }),
        ),
      ),
    )
    const ids = [await ask('email', eve.email, 'flying'), await ask('email', eve.email, 'sued')]
    const [flying = '', suedBy = ''] = ids.map(({ erasure: { id } }) => id)
    await work(pool, '1h')
    const waiting = await getErasure(pool, flying)
    expect(waiting).toMatchObject({ status: 'waiting', held: 0 })
    expect(waiting?.inFlight).toBeGreaterThan(2 * contributed.length)
    const flies = await placesOf([eve.email], 'flying')
    expect(flies).toEqual(expect.arrayContaining(busy))
    const status = held.length > 0 ? 'waiting' : 'done'
    expect(await getErasure(pool, suedBy)).toMatchObject({ status, inFlight: 0 })
    const stays = await placesOf([eve.email], 'sued')
    expect(stays).toEqual(expect.arrayContaining(held.map(({ table }) => table)))
    await transaction(pool, async (tx) => {
      for (const hold of holds) {
        if (hold.kind !== 'placed') throw new Error(hold.kind)
        await releaseHold(tx, { id: hold.hold.id, by: 'root', reason: 'settled' })
      }
    })
    await work(pool, '1h')
    expect(await getErasure(pool, suedBy)).toMatchObject({ status: 'done', held: 0, inFlight: 0 })
    expect(await placesOf([eve.email], 'sued')).toEqual([])
  })
})

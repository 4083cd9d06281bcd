import {
  createRelay,
  defineOutbox,
  delivered,
  enqueue,
  fixed,
  outbox as standardOutbox,
  outboxTableSql,
  PosthornError,
  refused,
  retryLater,
  silentLog,
  sqlState,
  transaction,
  unknown,
  type Message,
  type Outbox,
  type Outcome,
  type Relay,
} from '@posthorn/engine'
import { fakeTransport, testDatabase, type FakeTransport } from '@posthorn/engine/testing'
import {
  advanceClock,
  getMessage,
  listAlerts,
  listMessages,
  readJourney,
  replay,
  useMovableClock,
} from '@posthorn/operate'
import { ERROR_CODES } from '@posthorn/engine/internal'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { asyncReporter, hostileError, hostileJson, hostileText, Tally } from './hostile-text.ts'

/*
 * Whatever stands in a message: it is refused at the door with a named error, or it goes all the way, from
 * enqueue over a failure, its key held, a dead letter, lists and journey, a replay, to its delivery as it was written.
 */

interface Row {
  id: string
  type: string
  key: string
  tenant: string | null
  headers: Record<string, string> | null
  payload: unknown
  status: string
  attempts: number
  due_at: Date
  created_at: Date
  place: string | null
  error: string | null
  error_code: string | null
}

const boxOf = (name: string, more: object) =>
  defineOutbox<Row>({
    name: `hostile.${name}`,
    table: `hostile.${name}`,
    states: { ready: 'ready', sent: 'sent', dead: 'dead' },
    columns: {
      ...{ idType: 'text', type: 'type', tenant: 'tenant', dueAt: 'due_at' },
      ...{ createdAt: 'created_at', error: 'error', errorCode: 'error_code' },
      ...('storage' in more ? {} : { ref: { place: 'place' } as const }),
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    label: ['type', 'key'],
    retry: fixed('1s', { attempts: 2 }),
    destination: { transport: 'fake', topic: 'hostile' },
    message: ({ id, type, key, tenant, headers, payload }) => ({
      ...{ id, type, key, tenant: tenant ?? undefined, headers: headers ?? {}, payload },
    }),
    ...more,
  })
const order = { key: 'key', dead: 'block' } as const
const boxes = [
  boxOf('rows', {}),
  boxOf('keyed', { order }),
  boxOf('logged', { order, storage: 'log' }),
] as Outbox<Row>[]

const { pool } = await testDatabase({
  sql: `create schema hostile; ${boxes
    .map(
      (box) => `
    create table ${box.table} (id text primary key, type text not null, key text not null, tenant text,
      headers jsonb, payload jsonb, status text not null default 'ready', attempts int not null default 0,
      due_at timestamptz not null default posthorn.now(), created_at timestamptz not null default now(),
      place text, error text, error_code text);
    ${outboxTableSql(box)}`,
    )
    .join('')}`,
})
await useMovableClock(pool)

const text = hostileText
const drawn = fc.record({
  message: fc.record({
    id: fc.tuple(fc.uuid(), text).map(([id, more]) => `${id}${more}`),
    ...{ type: text, key: text, tenant: fc.option(text) },
    headers: fc.option(fc.dictionary(text, text, { maxKeys: 2 })),
    payload: hostileJson,
  }),
  failures: fc.tuple(
    fc.oneof(
      hostileError.map((error): Outcome => retryLater(error)),
      hostileError.map((error): Outcome => unknown(error)),
    ),
    hostileError.map((error): Outcome => refused(error)),
  ),
  place: fc.option(text, { nil: undefined }),
  operator: fc.record({ by: text, reason: text }),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer Each> ? Each : never

const numRuns = process.env['PROOF'] === 'full' ? 60 : 4
const MESSAGES = 12
const tally = new Tally()
afterAll(() => console.log(`hostile messages: ${tally.text()}`))

/** Writes a message, and gives the id of one that was taken. */
type Write = (each: Drawn) => Promise<string | undefined>

async function goAllTheWay(
  box: Outbox<Row>,
  all: readonly Drawn[],
  { write, relayTo }: { write: Write; relayTo: (fake: FakeTransport) => Relay },
): Promise<void> {
  const outbox = box as unknown as Outbox
  const fake = fakeTransport()
  const relay = relayTo(fake)
  // Notes the outbox for those who write by SQL.
  await relay.runOnce()
  const byId = new Map<string, Drawn>()
  for (const each of all) {
    const id = await write(each)
    if (id !== undefined) byId.set(id, each)
  }
  const tried = new Map<string, number>()
  fake.answer = ({ id }: Message): Outcome => {
    const each = byId.get(id)
    const count = tried.get(id) ?? 0
    tried.set(id, count + 1)
    return (
      each?.failures[count] ?? delivered(each?.place === undefined ? {} : { place: each.place })
    )
  }
  const drain = async () => {
    while ((await relay.runOnce()) > 0);
  }
  // Failed, held, dead.
  await drain()
  await advanceClock(pool, '5s')
  await drain()
  await listAlerts(pool, {})
  for (const [id, { message, operator }] of byId) {
    const { key, type, tenant } = message
    const details = await getMessage(pool, outbox, id)
    expect(details?.row).toMatchObject({ id, key, type, tenant })
    if (!details) continue
    await readJourney(pool, [outbox], { outbox, details })
    const filter = { type, ...(box.order && { key }), limit: 500 }
    expect((await listMessages(pool, outbox, filter)).items).not.toEqual([])
    JSON.stringify(details)
    await transaction(pool, (tx) => replay(tx, box, { filter: { ids: [id] }, ...operator }))
  }
  const arrived = () => new Map(fake.arrived.map((each) => [each.id, each]))
  const left = () => [...byId.keys()].filter((id) => !arrived().has(id))
  // A dead message blocks those of its key: they are let go one after the other.
  for (let round = 0; round < 40 && left().length > 0; round += 1) {
    await drain()
    await advanceClock(pool, '5s')
    await transaction(pool, (tx) => replay(tx, box, { filter: {}, by: 'test', limit: 500 }))
  }
  expect(left()).toEqual([])
  for (const [id, { message }] of byId) {
    const { type, key, tenant, headers, payload } = message
    const came = arrived().get(id)
    expect({ type: came?.type, key: came?.key, tenant: came?.tenant ?? null }).toEqual({
      ...{ type, key, tenant },
    })
    expect(canonical(came?.headers)).toBe(canonical(headers ?? {}))
    expect(canonical(came?.payload)).toBe(canonical(payload.make()))
    tally.add(`handled ${box.name}`)
  }
  await relay.stop()
}

/** JSON with sorted names: a table keeps no order of them. */
function canonical(value: unknown): string {
  const sort = (each: unknown): unknown =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each
  try {
    return JSON.stringify(value ?? null, (_, each: unknown) => sort(each))
  } catch {
    // Too deep for a function at each level; those have one name in each.
    return JSON.stringify(value)
  }
}

const LIMITS = { numRuns, seed: 33, endOnFailure: true, asyncReporter }
const drawnMany = fc.array(drawn, { minLength: MESSAGES, maxLength: MESSAGES })

test.each(boxes)(
  'what is written into $name is refused with a name, or goes all the way',
  async (box) => {
    const write: Write = async ({ message }) => {
      const row = { ...message, payload: message.payload.make() } as Partial<Row>
      try {
        return (await transaction(pool, (tx) => enqueue(tx, box, row))).id
      } catch (error) {
        if (!(error instanceof PosthornError) || !(error.code in ERROR_CODES)) throw error
        tally.add(`refused: ${error.code}`)
        return undefined
      }
    }
    const relayTo = (fake: FakeTransport) =>
      createRelay({ pool, outboxes: [box], transports: { fake }, log: silentLog })
    const goes = (all: readonly Drawn[]) => goAllTheWay(box, all, { write, relayTo })
    await fc.assert(fc.asyncProperty(drawnMany, goes), LIMITS)
    expect(tally.of(`handled ${box.name}`)).toBeGreaterThan(numRuns * 3)
    expect(tally.of('refused: MESSAGE_TOO_LARGE')).toBeGreaterThan(0)
    expect(tally.of('refused: MESSAGE_UNSTORABLE')).toBeGreaterThan(0)
  },
)

/** What PostgreSQL, or the function, may say of a message. */
const SQL_REFUSALS: Readonly<Record<string, string>> = {
  '22001': 'string_data_right_truncation',
  '54000': 'program_limit_exceeded',
  '22021': 'character_not_in_repertoire',
  '22P02': 'invalid_text_representation',
  '22P05': 'untranslatable_character',
  '54001': 'statement_too_complex',
}

describe('by SQL', () => {
  const list = { transport: 'fake', topic: 'hostile' }
  const policy = { destination: list, retry: fixed('1s', { attempts: 2 }) }
  const standard = [
    standardOutbox('hostile.sql_rows', policy),
    standardOutbox('hostile.sql_keys', { ...policy, order: 'key' }),
    standardOutbox('hostile.sql_log', { ...policy, order: 'key', storage: 'log' }),
  ] as unknown as (Outbox<Row> & { tableSql(): string })[]

  test.each(standard)('what is written into $name is refused, or goes all the way', async (box) => {
    await pool.query(box.tableSql())
    const write: Write = async ({ message }) => {
      const { type, key, tenant, headers, payload } = message
      try {
        const json = JSON.stringify(payload.make()) ?? 'null'
        const { rows } = await pool.query<{ id: string }>(
          `select posthorn.enqueue($1, $2, $3, key => $4, tenant => $5, headers => $6)::text as id`,
          [box.name, type, json, key, tenant, headers && JSON.stringify(headers)],
        )
        return rows[0]?.id
      } catch (error) {
        const name = SQL_REFUSALS[sqlState(error) ?? '']
        if (name === undefined && !(error instanceof TypeError || error instanceof RangeError))
          throw error
        tally.add(`refused by SQL: ${name ?? 'no JSON'}`)
        return undefined
      }
    }
    const relayTo = (fake: FakeTransport) =>
      createRelay({ pool, outboxes: [box], transports: { fake }, log: silentLog })
    // The driver itself puts the mark in place of half a character.
    const isWhole = ({ message: { type, key, tenant } }: Drawn) =>
      [type, key, tenant ?? ''].every((each) => each.isWellFormed())
    const goes = (all: readonly Drawn[]) =>
      goAllTheWay(box, all.filter(isWhole), { write, relayTo })
    await fc.assert(fc.asyncProperty(drawnMany, goes), LIMITS)
    expect(tally.of(`handled ${box.name}`)).toBeGreaterThan(numRuns * 3)
    expect(tally.of('refused by SQL: string_data_right_truncation')).toBeGreaterThan(0)
  })
})

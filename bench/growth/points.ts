import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPgbouncer } from '../../scripts/services/index.mjs'
import { fill, USUAL, type Filling } from './fill.ts'
import { measureHolding } from './held.ts'
import { drainBy } from './relays.ts'
import { progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { benchOutbox, createOutbox, type OutboxForm } from '../kit/outbox.ts'
import { deadTuples, rest, walBytesSince, walPosition, type Database } from '../kit/postgres.ts'
import { round, type Line } from '../kit/report.ts'

/** Which storages there are to measure. */
export const STORAGES = [
  'by row',
  'by key',
  'log',
] as const satisfies readonly OutboxForm['claims'][]

export const AXES = ['backlog', 'finished', 'keys', 'relays', 'payload', 'pooler', 'held'] as const
export type Axis = (typeof AXES)[number]

/** One measurement. */
export interface Point {
  readonly axis: Axis
  readonly storage: OutboxForm['claims']
  /** Where on the axis. */
  readonly value: number | string
  measure(database: Database, options: Options): Promise<readonly Line[]>
}

export const pointName = ({ axis, storage, value }: Point): string => `${axis}/${storage}/${value}`

interface Draining {
  readonly filling?: Partial<Filling>
  readonly relays?: number
  readonly pooled?: boolean
}

const MOST_DRAINED = 100_000
const THOUSAND = 1_000
const MILLION = 1_000_000

/** One axis at a time; of the others the usual value. */
export const POINTS: readonly Point[] = STORAGES.flatMap((storage) => [
  ...[10 * THOUSAND, 100 * THOUSAND, MILLION, 10 * MILLION].map((waiting) =>
    draining({ axis: 'backlog', storage, value: waiting }, { filling: { waiting } }),
  ),
  // A log has no finished rows: what is behind its cursors is dropped with its partition.
  ...(storage === 'log' ? [] : [0, MILLION, 10 * MILLION]).map((finished) =>
    draining({ axis: 'finished', storage, value: finished }, { filling: { finished } }),
  ),
  ...[1, 100, 10 * THOUSAND, MILLION].map((keys) =>
    draining(
      { axis: 'keys', storage, value: keys },
      {
        filling: { keys, waiting: Math.max(USUAL.waiting, keys) },
      },
    ),
  ),
  ...[1, 2, 4, 8].map((relays) => draining({ axis: 'relays', storage, value: relays }, { relays })),
  ...[100, THOUSAND, 10 * THOUSAND, 100 * THOUSAND].map((payloadBytes) =>
    draining(
      { axis: 'payload', storage, value: payloadBytes },
      {
        filling: { payloadBytes, waiting: Math.min(USUAL.waiting, (200 * MILLION) / payloadBytes) },
      },
    ),
  ),
  ...(['direct', 'PgBouncer'] as const).map((value) =>
    draining({ axis: 'pooler', storage, value }, { pooled: value === 'PgBouncer' }),
  ),
  ...(['none', 'held'] as const).map((value): Point => ({
    ...{ axis: 'held', storage, value },
    measure: (database, { heldMs }) =>
      measureHolding(database, { storage, isHeld: value === 'held', forMs: heldMs }),
  })),
])

function draining(
  { axis, storage, value }: Pick<Point, 'axis' | 'storage' | 'value'>,
  load: Draining,
): Point {
  return {
    ...{ axis, storage, value },
    measure: (database, options) => measureDraining(database, { storage, ...load }, options),
  }
}

async function measureDraining(
  database: Database,
  { storage, filling, relays = 1, pooled = false }: Draining & Pick<Point, 'storage'>,
  { limitMs, connections }: Options,
): Promise<Line[]> {
  const form: OutboxForm = { claims: storage, record: 'none', inHand: connections }
  const full = { ...USUAL, ...filling }
  const outbox = benchOutbox(form)
  await createOutbox(database.pool, outbox)
  // A vacuum in the middle of a drain of seconds would hit one point and not the next.
  await database.pool.query('alter table bench.outbox set (autovacuum_enabled = off)')
  const total = full.waiting + full.finished
  await fill(database.pool, { ...full, log: outbox.log }, (rows) =>
    progress(`  ${rows} of ${total} rows`),
  )
  await rest(database)
  const position = await walPosition(database)
  const count = Math.min(full.waiting, MOST_DRAINED)
  const drain = (databaseUrl: string, mode: 'listen' | 'poll') =>
    drainBy(relays, { databaseUrl, form, mode }, { count, limitMs })
  const { delivered, ms } = pooled
    ? await behindPgbouncer(database.url, (url) => drain(url, 'poll'))
    : await drain(database.url, 'listen')
  const walBytes = await walBytesSince(database, position)
  return [
    {
      perSecond: Math.round(delivered / (ms / 1_000)),
      delivered,
      walBytesPerMessage: Math.round(walBytes / delivered),
      deadTuplesPerMessage: round((await deadTuples(database)) / delivered),
    },
  ]
}

async function behindPgbouncer<Result>(
  databaseUrl: string,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-bench-pgbouncer-'))
  const { url, stop } = await startPgbouncer(databaseUrl, { dir, log: () => undefined })
  try {
    return await use(url)
  } finally {
    await stop()
    await rm(dir, { recursive: true, force: true })
    // Its connections to the server end a moment later.
    await sleep(200)
  }
}

import { fromRow, type RowOf } from '../from-row.ts'
import {
  type Outbox,
  type Queryable,
  transaction,
  DefinitionError,
  SQLSTATE,
  sqlState,
  type Consumer,
  type Subscriber,
} from '@posthorn/engine'
import {
  listPaused,
  type Paused,
  outboxStats,
  type OutboxStats,
  run,
  withoutPreparing,
  inSql,
  type CheckedDefinition,
  spellTable,
} from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import {
  selectSurroundings,
  type DestinationAnswers,
  type SurroundingsRow,
  selectConsumers,
  selectFreshLag,
  upsertLag,
  selectHorizons,
  selectTables,
} from './overview.sql.ts'
import {
  limitSearch,
  MOST_OF_TENANT,
  countTenant,
  type TenantCountRow,
} from '../messages/messages.sql.ts'

/** A destination that a relay does not try at the moment, as of the relay's last heartbeat. */
export interface BreakerState {
  /** `transport:topic`. */
  readonly destination: string
  readonly relay: string
  readonly openSince: Date
  /** When it lets the next attempt through; undefined where the relay does not say so. */
  readonly nextProbeAt: Date | undefined
  /** The last failure before it. */
  readonly cause: { readonly code: string; readonly message: string } | undefined
}

/** An outbox and everything around it that may need a person. */
export interface OutboxOverview extends OutboxStats {
  /** At the rate of the last minute, until what is due is gone; undefined if nothing moves. */
  readonly drainSeconds: number | undefined
  readonly openAlerts: number
  readonly breakers: readonly BreakerState[]
  readonly pause: Paused | undefined
}

export interface Overview {
  readonly at: Date
  /** The business clock; ahead of the real one in development only. */
  readonly clock: { readonly now: Date; readonly aheadSeconds: number }
  readonly outboxes: readonly OutboxOverview[]
  /** Consumer groups whose lag is sampled or that have something set aside. */
  readonly consumers: readonly ConsumerOverview[]
  /** Open alerts by their source, those that are no outbox's included. */
  readonly alerts: Readonly<Record<string, number>>
  /** Since when the oldest of them is open; undefined if there is none. */
  readonly alertsSince: Date | undefined
  /** What stands, one entry for each cause, the oldest first. */
  readonly causes: readonly StandingCause[]
  /** Destinations that did not answer in the last minute, the worst first, at most 20. */
  readonly failing: readonly DestinationAnswers[]
}

/** Alerts of one source and code; those about a destination each by itself. */
export interface StandingCause {
  readonly source: string
  readonly code: string
  /** `transport:topic` of a destination that is down. */
  readonly destination: string | undefined
  /** Alerts that nobody has acknowledged. */
  readonly open: number
  readonly since: Date
  /** Of the newest alert. */
  readonly detail: string
}

/** All outboxes at once, cheap enough to be asked every few seconds. */
export async function readOverview(
  db: Queryable,
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  outboxes: readonly Outbox<any>[],
): Promise<Overview> {
  const [stats, surroundings, pauses, consumers] = await Promise.all([
    Promise.all(outboxes.map((outbox) => outboxStats(db, outbox))),
    db.query<SurroundingsRow>(selectSurroundings),
    listPaused(db),
    readConsumers(db),
  ])
  const [around] = surroundings.rows
  if (!around) throw new TypeError('the statement returned no row')
  const paused = new Map(pauses.map((pause) => [pause.outbox, pause]))
  const causes = around.causes.map(({ destination, since, ...cause }) => ({
    ...cause,
    destination: destination ?? undefined,
    since: new Date(since),
  }))
  const alerts = countBySource(causes)
  return {
    at: around.now,
    clock: {
      now: around.business_now,
      aheadSeconds: Math.round((around.business_now.getTime() - around.now.getTime()) / 1_000),
    },
    outboxes: stats.map((each) => ({
      ...overviewOf(each, paused.get(each.name)),
      openAlerts: alerts[each.name] ?? 0,
    })),
    consumers,
    alerts,
    alertsSince: causes.find(({ open }) => open > 0)?.since,
    causes,
    failing: around.destinations,
  }
}

function countBySource(causes: readonly StandingCause[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { source, open } of causes) if (open > 0) counts[source] = (counts[source] ?? 0) + open
  return counts
}

function overviewOf(
  stats: OutboxStats,
  pause: Paused | undefined,
): Omit<OutboxOverview, 'openAlerts'> {
  return {
    ...stats,
    drainSeconds: drainSeconds(stats),
    breakers: stats.alive.flatMap(({ name, seenAt, breakers }) =>
      breakers.map(({ destination, openMs, probeMs, cause }) => ({
        destination,
        relay: name,
        openSince: new Date(seenAt.getTime() - openMs),
        nextProbeAt: probeMs === undefined ? undefined : new Date(seenAt.getTime() + probeMs),
        cause,
      })),
    ),
    pause,
  }
}

function drainSeconds({ due, perSecond }: OutboxStats): number | undefined {
  if (due === 0) return 0
  return perSecond === 0 ? undefined : due / perSecond
}

/** How the messages of one tenant are doing in an outbox. */
export interface TenantCounts {
  /** States without a message are left out. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * There are more than 10,000, of which these are a part; or counting took longer than half a
   * second, and `counts` is empty.
   */
  readonly approximate: boolean
  readonly due: number
  readonly retrying: number
  readonly postponed: number
  readonly scheduled: number
  readonly oldestDueSeconds: number
  readonly oldestUndeliveredSeconds: number
  /** Since when the oldest dead one is there; undefined if none is dead. */
  readonly deadSince: Date | undefined
}

/** Counts the messages of one tenant, within half a second. */
export async function countTenantMessages<Row>(
  pool: Pool,
  outbox: Outbox<Row>,
  tenant: string,
): Promise<TenantCounts> {
  const box = outbox as unknown as Outbox
  if (box.columns.tenant === undefined) {
    throw new DefinitionError(box.name, 'columns.tenant', 'is needed to count by tenant')
  }
  try {
    const rows = await transaction(pool, async (tx) => {
      await tx.query(limitSearch)
      return run<TenantCountRow>(withoutPreparing(tx), countTenant(inSql(box)), { tenant })
    })
    return {
      counts: Object.fromEntries(rows.map(({ state, n }) => [state, n])),
      approximate: rows.reduce((sum, { n }) => sum + n, 0) > MOST_OF_TENANT,
      due: rows.reduce((sum, { due }) => sum + due, 0),
      retrying: rows.reduce((sum, { retrying }) => sum + retrying, 0),
      postponed: rows.reduce((sum, { postponed }) => sum + postponed, 0),
      scheduled: rows.reduce((sum, { scheduled }) => sum + scheduled, 0),
      oldestDueSeconds: Math.max(0, ...rows.map((row) => row.oldest_due)),
      oldestUndeliveredSeconds: Math.max(
        0,
        ...rows.map((row) => row.oldest ?? (box.columns.createdAt ? 0 : row.oldest_due)),
      ),
      deadSince: rows.find((row) => row.dead_since !== null)?.dead_since ?? undefined,
    }
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.queryCanceled) throw error
    return { counts: {}, approximate: true, ...UNCOUNTED }
  }
}

const UNCOUNTED = {
  due: 0,
  retrying: 0,
  postponed: 0,
  scheduled: 0,
  oldestDueSeconds: 0,
  oldestUndeliveredSeconds: 0,
  deadSince: undefined,
}

/** How a consumer group is doing. */
export interface ConsumerOverview {
  readonly topic: string
  readonly group: string
  /** Undefined, like the lag, where `sampleLag` never looked. */
  readonly transport: string | undefined
  /** Messages of the topic that the group has not acknowledged. */
  readonly lag: number | undefined
  readonly sampledAt: Date | undefined
  /** Set aside until their next attempt. */
  readonly retrying: number
  /** Set aside behind another one of their key. */
  readonly parked: number
  readonly dead: number
  readonly oldestDeadAt: Date | undefined
}

/** Every consumer group whose lag was sampled or that has something set aside. */
export async function readConsumers(db: Queryable): Promise<ConsumerOverview[]> {
  const { rows } = await db.query<RowOf<ConsumerOverview>>(selectConsumers)
  return rows.map(fromRow<ConsumerOverview>)
}

/** How long a sample is good enough, whichever process took it. */
const FRESH_MS = 10_000

/**
 * Looks how far a group is behind and stores it for `readConsumers`, unless another process has just
 * done so, and returns it. A transport that cannot say leaves the group without a lag.
 */
export async function sampleLag(
  db: Queryable,
  { lag }: Pick<Subscriber, 'lag'>,
  consumer: Pick<Consumer, 'topic' | 'group'> & { readonly transport: string },
): Promise<number | undefined> {
  if (!lag) return undefined
  const { rows } = await db.query<{ lag: number }>(selectFreshLag(consumer, FRESH_MS))
  if (rows[0]) return rows[0].lag
  const messages = await lag(consumer)
  await db.query(upsertLag(consumer, messages))
  return messages
}

const ENGINE_TABLES = ['posthorn.transition', 'posthorn.archive', 'posthorn.held_key']

/** How large a table is and what of it is dead, as PostgreSQL's statistics have it. */
interface TableBloat {
  readonly table: string
  /** Undefined for the engine's own tables. */
  readonly outbox: string | undefined
  /** Without indexes. */
  readonly bytes: number
  readonly indexBytes: number
  readonly liveRows: number
  readonly deadRows: number
  readonly vacuumedAt: Date | undefined
  readonly analyzedAt: Date | undefined
}

/** A session or slot that keeps dead rows from being removed. */
interface Horizon {
  readonly holder: 'session' | 'prepared' | 'slot'
  readonly name: string
  /** How many transactions have begun since. */
  readonly transactions: number
  readonly seconds: number | undefined
}

interface Bloat {
  readonly tables: readonly TableBloat[]
  /** At most five, the worst first. */
  readonly horizons: readonly Horizon[]
}

/** What the outboxes' tables weigh, and who keeps vacuum back. Reads statistics only. */
export async function readBloat(
  db: Queryable,
  outboxes: readonly Pick<CheckedDefinition, 'name' | 'table' | 'log' | 'exceptions'>[],
): Promise<Bloat> {
  const names = new Map<string, { name: string; table: string }>(
    outboxes.flatMap(({ table, log, exceptions, name }) =>
      [exceptions ?? table, log]
        .filter((each) => each !== undefined)
        .map((each) => [spellTable(each), { name, table: each }] as const),
    ),
  )
  const [tables, horizons] = await Promise.all([
    db.query<RowOf<Omit<TableBloat, 'outbox'>>>(selectTables([...names.keys(), ...ENGINE_TABLES])),
    db.query<RowOf<Horizon>>(selectHorizons),
  ])
  return {
    tables: tables.rows.map((row) => ({
      ...fromRow<Omit<TableBloat, 'outbox'>>(row),
      table: names.get(row.table)?.table ?? row.table,
      outbox: names.get(row.table)?.name,
    })),
    horizons: horizons.rows.map(fromRow<Horizon>),
  }
}

import type { Pool } from 'pg'
import {
  everyone,
  inSavepoint,
  sleep,
  isId,
  countReplay,
  replay,
  signed,
  type Operator,
  type ReplayFilter,
} from '@posthorn/engine/internal'
import { transaction, type Queryable, type Transaction, type Outbox, uuid } from '@posthorn/engine'
import { fromRow, type RowOf } from '../from-row.ts'
import {
  deleteReplayed,
  insertReplay,
  insertReplayed,
  lockDueReplay,
  postponeReplay,
  selectReplay,
  selectReplays,
  stopRunning,
  updateReplay,
} from './replay-run.sql.ts'

/** A replay of any number of messages, in batches; it goes on when the process that began it is gone. */
export interface ReplayRun {
  readonly id: string
  readonly outbox: string
  readonly filter: ReplayFilter
  readonly perSecond: number | undefined
  /** How many messages the filter matched when it began. */
  readonly matched: number
  /** How many of them it takes: all, or as many as its limit says. */
  readonly wanted: number
  /** How many it has taken so far. */
  readonly replayed: number
  /** How many it found dead once more: then it ends, since their cause is not gone. */
  readonly diedAgain: number
  /** `stopped`: by an operator. A replay that is `done` took less than `wanted` if others were faster. */
  readonly state: 'running' | 'done' | 'stopped'
  readonly by: string
  readonly reason: string | undefined
  readonly startedAt: Date
  readonly endedAt: Date | undefined
  /** Why the batch that `continueReplay` tried failed; it is tried again in a while. */
  readonly failure?: Error
}

/** Its times are text in the filter. */
type ReplayRow = RowOf<Omit<ReplayRun, 'failure'>>

export interface ReplayRunOptions extends Operator {
  readonly filter: ReplayFilter
  /** At most this many messages become due in a second. Default: a batch at once. */
  readonly perSecond?: number
  /** At most this many, the oldest first. Default all. */
  readonly limit?: number
}

/** Messages in one transaction: seconds of locks, not minutes. */
const BATCH = 10_000

/** Until a batch that failed is tried again; replays behind it go on meanwhile. */
const FAILED_BATCH_MS = 30_000

/** Counts what there is and writes the replay down; `continueReplay` or `runReplay` does it. */
export async function startReplay<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  { filter, perSecond, limit, ...operator }: ReplayRunOptions,
): Promise<ReplayRun> {
  const matched = await countReplay(tx, outbox, filter)
  const wanted = Math.min(matched, limit ?? matched)
  const { rows } = await tx.query<ReplayRow>(
    insertReplay({
      ...{ id: uuid(), outbox: outbox.name, filter: JSON.stringify(filter) },
      ...{ perSecond, matched, wanted, ...signed(operator) },
    }),
  )
  tx.ringLater(everyone)
  return runOf(rows[0] as ReplayRow)
}

/**
 * Replays the next batch of a replay whose time has come: of the one with this id, or of any. The
 * batch and its count commit together, and many processes may call it at once. Undefined if there is
 * none, or another process is at it. A batch that fails changes nothing but the time of its next try:
 * commit, and then report `failure`.
 */
export async function continueReplay(
  tx: Transaction,
  outboxes: readonly Outbox[],
  id?: string,
): Promise<ReplayRun | undefined> {
  const names = outboxes.map(({ name }) => name)
  const { rows } = await tx.query<ReplayRow>(lockDueReplay(names, id ?? null))
  const [row] = rows
  const outbox = outboxes.find(({ name }) => name === row?.outbox)
  if (!row || !outbox) return undefined
  try {
    return await inSavepoint(tx, () => replayBatch(tx, outbox, runOf(row)))
  } catch (error) {
    await tx.query(postponeReplay(row.id, FAILED_BATCH_MS))
    const failure = error instanceof Error ? error : new Error(String(error))
    return { ...runOf(row), failure }
  }
}

async function replayBatch(tx: Transaction, outbox: Outbox, run: ReplayRun): Promise<ReplayRun> {
  const { id, filter, perSecond, by, reason } = run
  const left = run.wanted - run.replayed
  const ids = await replay(tx, outbox, {
    ...{ filter, limit: Math.min(BATCH, left), by },
    ...(perSecond !== undefined && { perSecond }),
    ...(reason !== undefined && { reason }),
  })
  const { rows: noted } = await tx.query<{ count: number }>(insertReplayed(id, ids))
  const first = noted[0]?.count ?? 0
  const again = ids.length - first
  const isLast = ids.length === 0 || again > 0 || first >= left
  // A batch is spread over a time of its own: the next one begins when this one has become due.
  const spacingMs = perSecond === undefined ? 0 : (ids.length / perSecond) * 1_000
  const { rows } = await tx.query<ReplayRow>(updateReplay(id, { first, again, isLast, spacingMs }))
  if (isLast) await tx.query(deleteReplayed(id))
  return runOf(rows[0] as ReplayRow)
}

export interface RunReplayOptions {
  /** As `startReplay` returned it. */
  readonly run: ReplayRun
  /** Stops after the batch under way; the replay stays as it is, and another process may go on. */
  readonly signal?: AbortSignal
  /** After every batch. */
  readonly onProgress?: (run: ReplayRun) => void
}

/** Looks at a replay that another process is at, or that waits for its rate, this often. */
const LOOK_MS = 500

/** Does a replay to its end, also beside other processes, or until the signal aborts. Throws if a batch fails. */
export async function runReplay<Row>(
  pool: Pool,
  outbox: Outbox<Row>,
  { run, signal = new AbortController().signal, onProgress }: RunReplayOptions,
): Promise<ReplayRun> {
  const box = outbox as unknown as Outbox
  let now = run
  while (now.state === 'running' && !signal.aborted) {
    const next = await transaction(pool, (tx) => continueReplay(tx, [box], run.id))
    if (next?.failure) throw next.failure
    now = next ?? (await getReplay(pool, box, run.id)) ?? now
    if (next) onProgress?.(next)
    else if (now.state === 'running') await sleep(LOOK_MS, signal)
  }
  return now
}

/** The replay as it stands; undefined if the outbox has none of this id. */
export async function getReplay(
  db: Queryable,
  outbox: Pick<Outbox, 'name'>,
  id: string,
): Promise<ReplayRun | undefined> {
  if (!isId(id, 'uuid')) return undefined
  const { rows } = await db.query<ReplayRow>(selectReplay(outbox.name, id))
  return rows[0] && runOf(rows[0])
}

/** The latest replays of an outbox, newest first; of one tenant's messages only, if it is named. */
export async function listReplays(
  db: Queryable,
  outbox: Pick<Outbox, 'name'>,
  { limit = 50, tenant }: { limit?: number; tenant?: string } = {},
): Promise<ReplayRun[]> {
  const bounded = Math.min(Math.max(Math.trunc(limit), 1), 500)
  const { rows } = await db.query<ReplayRow>(selectReplays(outbox.name, tenant ?? null, bounded))
  return rows.map(runOf)
}

/** Ends a replay after the batch under way; what it has not taken stays dead. Undefined if it had ended. */
export async function stopReplay(
  tx: Transaction,
  outbox: Pick<Outbox, 'name'>,
  { id, ...operator }: Operator & { id: string },
): Promise<ReplayRun | undefined> {
  if (!isId(id, 'uuid')) return undefined
  const { rows } = await tx.query<ReplayRow>(
    stopRunning({ outbox: outbox.name, id, ...signed(operator) }),
  )
  if (!rows[0]) return undefined
  await tx.query(deleteReplayed(id))
  return runOf(rows[0])
}

function runOf(row: ReplayRow): ReplayRun {
  const { since, until, ...rest } = row.filter as Record<string, string>
  return {
    ...fromRow<Omit<ReplayRun, 'failure'>>(row),
    filter: {
      ...rest,
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    },
  }
}

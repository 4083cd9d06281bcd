import type { Pool } from 'pg'
import { toMs, type Duration } from '../duration.ts'
import { silentLog, type Log } from '../log.ts'
import { run } from '../database/pool-handle.ts'
import type { Prepared } from '../database/prepared.ts'
import { pruneArchived, pruneFinished } from './maintenance.sql.ts'
import {
  type CheckedDefinition,
  inSql,
  type ResolvedDefinition,
} from '../outbox/resolved-definition.ts'
import type { Queryable } from '../database/transaction.ts'

/** Rows one statement takes, to keep its transaction short. */
const BATCH = 5_000

export interface PruneOptions {
  /** How long to go on; what is left over waits for the next run. Default `1m`. */
  readonly budget?: Duration
  /** Stops after the batch that is under way. */
  readonly signal?: AbortSignal
  readonly log?: Log
  /** True: nothing that may be an organisation's goes for good, only into the archive. */
  readonly archiveOnly?: boolean
}

/** What a run of `prune` did. */
export interface Pruned {
  /** Rows that left the outbox's table. */
  readonly pruned: number
  /** How many of them went into the archive. */
  readonly archived: number
  /** Rows that left the archive. */
  readonly expired: number
  /** False: the time was up, and there is more. */
  readonly done: boolean
}

/**
 * Moves what finished longer ago than the outbox's retention (real time) into the archive, and
 * deletes there what is past its own. Dead messages stay: they wait for a person. Without a
 * retention it does nothing.
 */
export async function prune(
  pool: Pool,
  outbox: CheckedDefinition,
  { budget = '1m', signal, log = silentLog, archiveOnly = false }: PruneOptions = {},
): Promise<Pruned> {
  if (!outbox.retention) return { pruned: 0, archived: 0, expired: 0, done: true }
  const afterMs = toMs(outbox.retention.after)
  const archiveMs = toMs(outbox.retention.archive)
  const archives = archiveMs > 0
  const stopAt = performance.now() + toMs(budget)
  const repeat = (statement: Prepared) =>
    inBatches({
      statement,
      args: { afterMs, archiveMs, batch: BATCH },
      db: pool,
      goesOn: () => performance.now() < stopAt && signal?.aborted !== true,
    })
  const nothing = { count: 0, done: true }
  const goesForGood = !archives && outbox.columns.tenant !== undefined
  const finished =
    archiveOnly && goesForGood
      ? nothing
      : await inTurn(placesOf(outbox), (place) =>
          repeat(pruneFinished(place, { archived: archives })),
        )
  const archive = archiveOnly ? nothing : await repeat(pruneArchived(inSql(outbox)))
  const result = {
    pruned: finished.count,
    archived: archives ? finished.count : 0,
    expired: archive.count,
    done: finished.done && archive.done,
  }
  if (result.pruned + result.expired > 0) log.debug({ outbox: outbox.name, ...result }, 'pruned')
  return result
}

/** Where finished messages stand; the table of a log has those of before it was one. */
function placesOf(outbox: CheckedDefinition): ResolvedDefinition[] {
  const definition = inSql(outbox)
  if (definition.log === undefined) return [definition]
  return [definition, { ...definition, table: definition.template, log: undefined }]
}

async function inTurn<Place>(
  places: readonly Place[],
  step: (place: Place) => Promise<{ count: number; done: boolean }>,
) {
  const sum = { count: 0, done: true }
  for (const place of places) {
    const { count, done } = await step(place)
    sum.count += count
    sum.done &&= done
  }
  return sum
}

interface Batches {
  readonly statement: Prepared
  readonly args: Readonly<Record<string, unknown>>
  readonly db: Queryable
  readonly goesOn: () => boolean
}

async function inBatches({ statement, args, db, goesOn }: Batches) {
  let total = 0
  while (goesOn()) {
    const [row] = await run<{ count: number }>(db, { ...statement, name: '' }, args)
    const count = row?.count ?? 0
    total += count
    if (count < BATCH) return { count: total, done: true }
  }
  return { count: total, done: false }
}

import { isId } from '../database/cursor.ts'
import type { Outbox } from '../outbox/define.ts'
import { DefinitionError } from '../errors.ts'
import { moveWaiting } from '../relay/log/log-moves.ts'
import { run, withoutPreparing } from '../database/pool-handle.ts'
import { cancelMessages, countReplayable, replayDead } from './replay.sql.ts'
import { unblockKey } from '../relay/settle/held.sql.ts'
import type { Queryable, Transaction } from '../database/transaction.ts'
import { inSql } from '../outbox/resolved-definition.ts'
import { storableText } from '../storable.ts'

/** Which dead (or quarantined) messages; everything left out matches all. */
export interface ReplayFilter {
  readonly ids?: readonly string[]
  readonly since?: Date
  readonly until?: Date
  readonly type?: string
  readonly tenant?: string
  readonly key?: string
  /** The code of the last failure. */
  readonly code?: string
}

/** Who acts, and why: it stays in the audit. */
export interface Operator {
  readonly by: string
  readonly reason?: string
}

/** Whatever text their names and reasons are: the audit takes it. */
export function signed({ by, reason }: Operator): { by: string; reason: string | undefined } {
  return { by: storableText(by), reason: reason === undefined ? undefined : storableText(reason) }
}

function actorOf(operator: Operator): { actor: string; reason: string | null } {
  const { by, reason = null } = signed(operator)
  return { actor: by, reason }
}

export interface ReplayOptions extends Operator {
  readonly filter: ReplayFilter
  /** At most this many messages become due in a second. Default: all at once. */
  readonly perSecond?: number
  /** At most this many in one call. Default 10,000: call again for more. */
  readonly limit?: number
}

/** How many messages `replay` would take: the dry run. */
export async function countReplay<Row>(
  db: Queryable,
  outbox: Outbox<Row>,
  filter: ReplayFilter,
): Promise<number> {
  const box = outbox as unknown as Outbox
  const [row] = await run<{ count: number }>(
    withoutPreparing(db),
    countReplayable(inSql(box)),
    argsOf(box, filter),
  )
  return row?.count ?? 0
}

/**
 * Sends dead messages again, with their attempts back at zero. In an ordered outbox they keep
 * their place before the waiting messages of their key. Returns the ids.
 */
export async function replay<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  { filter, perSecond, limit = 10_000, ...operator }: ReplayOptions,
): Promise<string[]> {
  const box = outbox as unknown as Outbox
  const rows = await run<{ id: string }>(withoutPreparing(tx), replayDead(inSql(box)), {
    ...argsOf(box, filter),
    limit,
    spacing_ms: perSecond === undefined ? 0 : 1_000 / perSecond,
    ...actorOf(operator),
  })
  tx.ringLater(box.bell)
  return rows.map(({ id }) => id)
}

/** Lets the messages behind a dead one of their key go on without it. False if nothing was blocked. */
export async function unblock<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  { key, ...operator }: Operator & { key: string },
): Promise<boolean> {
  const box = outbox as unknown as Outbox
  const args = { key, ...actorOf(operator) }
  const rows = await run(withoutPreparing(tx), unblockKey(inSql(box)), args)
  tx.ringLater(box.bell)
  return rows.length > 0
}

/**
 * Ends messages that wait or are dead, and lets what waited behind them go on. Returns the ids. What
 * is on its way cannot be called back; in an ordered outbox this is not recorded, and such a
 * message may arrive although it is cancelled.
 */
export async function cancel<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  { ids, ...operator }: Operator & { ids: readonly string[] },
): Promise<string[]> {
  const box = outbox as unknown as Outbox
  const statement = cancelMessages(inSql(box))
  if (!statement) throw new DefinitionError(box.name, 'states.cancelled', 'is needed to cancel')
  const args = { ids: onlyIds(box, ids), ...actorOf(operator) }
  const plain = withoutPreparing(tx)
  await moveWaiting(plain, box, args.ids)
  const rows = await run<{ id: string }>(plain, statement, args)
  tx.ringLater(box.bell)
  return rows.map(({ id }) => id)
}

/** A condition on a column that the table does not have would match everything: it is refused. */
export function argsOf(outbox: Outbox, filter: ReplayFilter): Record<string, unknown> {
  const { columns, order } = outbox
  const needs: [keyof ReplayFilter, string | undefined][] = [
    ['since', columns.createdAt],
    ['until', columns.createdAt],
    ['type', columns.type],
    ['tenant', columns.tenant],
    ['code', columns.errorCode],
    ['key', order?.key],
  ]
  for (const [field, column] of needs) {
    if (filter[field] !== undefined && column === undefined) {
      throw new DefinitionError(outbox.name, `filter.${field}`, 'the outbox has no such column')
    }
  }
  const fields = ['ids', 'since', 'until', 'type', 'tenant', 'key', 'code'] as const
  const args = Object.fromEntries(fields.map((field) => [field, filter[field] ?? null]))
  return filter.ids ? { ...args, ids: onlyIds(outbox, filter.ids) } : args
}

/** What the column cannot hold is no message's id; asking Postgres for it would be an error. */
function onlyIds({ columns }: Outbox, ids: readonly string[]): string[] {
  return ids.filter((id) => isId(id, columns.idType))
}

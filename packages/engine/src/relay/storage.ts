import type { Queryable, Transaction } from '../database/transaction.ts'
import { limitLockWaits } from '../database/migrate.sql.ts'
import type { PoolHandle } from '../database/pool-handle.ts'
import { PosthornError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Outbox } from '../outbox/define.ts'
import { inSql, storageOf, type Storage } from '../outbox/resolved-definition.ts'
import { PATIENCE_WITH_WRITERS_MS } from './log/log-moves.sql.ts'
import { moveFromTable } from './log/log-moves.ts'
import { selectSharedColumns } from './log/table-moves.sql.ts'
import type { Session } from './session/session.ts'
import {
  drainExceptions,
  drainLog,
  endPast,
  forgetKeys,
  lockStorage,
  lockWriters,
  redirectWriters,
  releaseRows,
  resetBuckets,
  selectOthers,
  selectStorage,
  updateStorage,
  type KnownStorage,
  type OtherStorage,
} from './storage.sql.ts'

const WORDS: Readonly<Record<Storage, string>> = {
  row: 'by row',
  key: 'by key',
  log: 'in a log',
}

export interface StorageOptions {
  readonly session: Session
  readonly log: Log
}

/**
 * Sees to it that all relays of a table keep its messages one way, the definition's: two ways at once would
 * overtake each other. After the last relay of another way is gone, what waits is moved by the first of this.
 */
export async function adoptStorage(
  handle: PoolHandle,
  outbox: Outbox,
  { session, log }: StorageOptions,
): Promise<void> {
  const definition = inSql(outbox)
  const { name } = outbox
  const before = await handle.transaction(async (tx) => {
    await tx.query(lockStorage(definition))
    // A process that sleeps past its lease finds that it is over, and asks again.
    await tx.query(endPast)
    const others = await tx.query<OtherStorage>(selectOthers(definition, session.id))
    if (others.rows[0]) throw storageInUse(outbox, others.rows[0])
    // The next one to look sees this relay before it has claimed anything.
    await session.run(name, tx)
    const { rows } = await tx.query<KnownStorage>(selectStorage(definition))
    const [known] = rows
    if (!known || known.storage === storageOf(outbox)) return undefined
    try {
      await tx.query(limitLockWaits(PATIENCE_WITH_WRITERS_MS))
      await changeStorage(tx, outbox, known)
    } catch (cause) {
      throw notMoved(outbox, known.storage, cause)
    }
    return known.storage
  })
  if (before === undefined) return
  const change = { outbox: name, before: WORDS[before], now: WORDS[storageOf(outbox)] }
  log.warn(change, 'the storage of the outbox changed; pending messages were moved')
}

async function changeStorage(tx: Transaction, outbox: Outbox, known: KnownStorage): Promise<void> {
  const definition = inSql(outbox)
  const { name, template, order } = definition
  const { log, exceptions, redirecting } = known
  const isLog = definition.log !== undefined
  const places = [...(isLog ? [log, template] : [template, log]), exceptions]
  await tx.query(lockWriters(places.filter((place) => place !== null)))
  await tx.query(updateStorage(definition))
  if (log !== null && (isLog || known.storage === 'log')) {
    const [from, to] = isLog ? [template, log] : [log, template]
    for (const each of redirectWriters(name, { from, to, redirecting })) await tx.query(each)
  }
  if (known.storage === 'row') await tx.query(forgetKeys(definition))
  if (isLog) await moveFromTable(tx, outbox)
  else if (known.storage === 'log') await drain(tx, outbox, known)
  else if (order) await tx.query(releaseRows(definition))
  if (!order) await tx.query(forgetKeys(definition))
  await tx.query(resetBuckets(definition))
}

/** Back from the log into the table: nothing stays behind, and nothing overtakes. */
async function drain(
  tx: Transaction,
  outbox: Outbox,
  { log, exceptions }: KnownStorage,
): Promise<void> {
  const definition = inSql(outbox)
  const { template } = definition
  if (exceptions !== null) {
    const names = await sharedColumns(tx, exceptions, template)
    await tx.query(drainExceptions(definition, { exceptions, names }))
  }
  if (log === null) return
  const names = await sharedColumns(tx, log, template)
  await tx.query(drainLog(definition, { log, names }))
}

async function sharedColumns(db: Queryable, from: string, to: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(selectSharedColumns(from, to))
  return rows.map(({ name }) => name)
}

function storageInUse(outbox: Outbox, other: OtherStorage): PosthornError {
  const { name, table } = outbox
  return new PosthornError(
    'STORAGE_IN_USE',
    `outbox ${name}: the relay ${other.relay} keeps ${table} ${WORDS[other.storage]} (outbox ${other.name}), ` +
      `but this definition keeps it ${WORDS[storageOf(outbox)]}. Stop the relays of the other definition ` +
      `first; a killed one counts for another ${other.seconds} s. The first relay of this definition moves pending messages.`,
  )
}

function notMoved(outbox: Outbox, before: Storage, cause: unknown): PosthornError {
  return new PosthornError(
    'STORAGE_NOT_MOVED',
    `outbox ${outbox.name}: what is kept ${WORDS[before]} cannot be moved; nothing was moved: ` +
      `${(cause as Error).message}. Fix that and start again, or start a relay with the old definition.`,
    { cause },
  )
}

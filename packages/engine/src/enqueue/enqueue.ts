import { checkObject, type Fields } from '../outbox/definition-shape.ts'
import type { Outbox } from '../outbox/define.ts'
import { toMs, type Duration } from '../duration.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import { encryptRows } from '../encrypt/encrypt-rows.ts'
import { run, withoutPreparing } from '../database/pool-handle.ts'
import type { Prepared } from '../database/prepared.ts'
import { checkSize, checkWord, encodeField, listWords, refusalOf } from './message-limits.ts'
import { findDuplicates, insertMessages, lockBuckets } from './enqueue.sql.ts'
import { type TypedColumn, selectColumns, selectStorage } from '../outbox/table.sql.ts'
import { currentTraceparent } from '../outbox/trace.ts'
import type { Transaction } from '../database/transaction.ts'
import { uuid } from '../uuid.ts'
import { inSql } from '../outbox/resolved-definition.ts'

export interface EnqueueOptions {
  /** Not before this long from now, by the business clock. */
  readonly delay?: Duration
  /**
   * Locks the keys' buckets until the transaction ends, so that messages of one key from writers
   * that nothing else serialises are delivered in the order of their commits. Default: as the
   * outbox's order says.
   */
  readonly serialise?: boolean
  /** Default: the trace context that is active now. */
  readonly traceparent?: string
}

const OPTIONS: Fields<EnqueueOptions> = {
  delay: 'optional',
  serialise: 'optional',
  traceparent: 'optional',
}

export interface Enqueued {
  readonly id: string
  /** False: a message with the same dedupe key was there before; this is its id. */
  readonly created: boolean
}

/** What a message is enqueued with: as the outbox demands it, or any part of its row. */
export type NewRow<Row, New> = unknown extends New ? Partial<Row> : New

/** What was learnt of an outbox's table: a running process does not see it change. */
interface Known {
  readonly columns: readonly TypedColumn[]
  readonly inserts: Map<string, Prepared>
}

const knownOf = new WeakMap<object, Known>()

/**
 * Writes a message into its outbox in the caller's transaction: it is delivered if and only if the
 * transaction commits. The id is made here unless given.
 */
// oxlint-disable-next-line max-params -- transaction, outbox, message and how: the sentence people say
export async function enqueue<Row, New>(
  tx: Transaction,
  outbox: Outbox<Row, New>,
  message: NewRow<Row, New>,
  options?: EnqueueOptions,
): Promise<Enqueued> {
  const [enqueued] = await enqueueAll(tx, outbox, [message], options)
  return enqueued as Enqueued
}

/** The same for many, in one statement. Messages of one key keep the order of the array. */
// oxlint-disable-next-line max-params -- as above
export async function enqueueAll<Row, New>(
  tx: Transaction,
  outbox: Outbox<Row, New>,
  messages: readonly NewRow<Row, New>[],
  options: EnqueueOptions = {},
): Promise<Enqueued[]> {
  checkTransaction(tx)
  checkObject(options, OPTIONS, {
    prefix: '',
    wrong: (field, problem) => {
      throw new DefinitionError(outbox.name, field, problem)
    },
  })
  if (messages.length === 0) return []
  const box = outbox as unknown as Outbox
  const rows = messages.map((message) =>
    completeRows(box, message as Record<string, unknown>, options),
  )
  const words = listWords(box)
  for (const row of rows) for (const word of words) checkWord(box.name, word, row[word])
  try {
    return await asOneCall(tx, () => storeRows(tx, box, { rows, options }))
  } catch (error) {
    throw refusalOf(box.name, error)
  }
}

/** A transaction does not end in the midst of an enqueue; a library's own takes statements alone. */
export function asOneCall<Result>(
  tx: Transaction | undefined,
  call: () => Promise<Result>,
): Promise<Result> {
  return tx?.asOne ? tx.asOne(call) : call()
}

async function storeRows(
  tx: Transaction,
  box: Outbox,
  { rows, options }: { rows: Record<string, unknown>[]; options: EnqueueOptions },
): Promise<Enqueued[]> {
  const known = await knowledgeOf(tx, box)
  const given = findGivenColumns(box, known, rows)
  await serialiseKeys(tx, box, { rows, options })
  const dedupes = givesDedupeKey(box, given)
  const statement = insertOf(box, known, { given, delayed: options.delay !== undefined, dedupes })
  const types = new Map(given.map(({ name, type }) => [name, type]))
  const stored = box.encrypt ? await encryptRows(tx, box, { rows, types }) : rows
  const values = {
    ...valuesOf(box, given, stored),
    delay_ms: rows.map(() => (options.delay === undefined ? 0 : toMs(options.delay))),
  }
  const inserted = await run<{ id: string; bucket?: number }>(tx, statement, values)
  tx.ringLater(box.bell, box.order && new Set(inserted.map(({ bucket }) => Number(bucket))))
  const created = new Set(inserted.map(({ id }) => id))
  const ids = rows.map((row) => String(row[box.columns.id]))
  if (inserted.length === rows.length) return ids.map((id) => ({ id, created: true }))
  return withDuplicates(tx, box, { rows, given, created })
}

/** A pool has `query` too: the message would be stored by itself, also when the rest fails. */
function checkTransaction(tx: Transaction | undefined): void {
  if (typeof tx?.ringLater === 'function') return
  throw new PosthornError(
    'NOT_IN_TRANSACTION',
    'enqueue needs a transaction: call it in transaction(pool, async (tx) => …), or pass the result ' +
      'of fromPg, fromDrizzle, fromPrisma … for your own handle',
  )
}

function completeRows(
  { columns, name }: Outbox,
  message: Record<string, unknown>,
  options: EnqueueOptions,
): Record<string, unknown> {
  const row: Record<string, unknown> = { ...message }
  row[columns.id] ??= columns.idType === 'bigint' ? undefined : uuid()
  if (row[columns.id] === undefined) {
    throw new PosthornError('DEFINITION_INVALID', `outbox ${name}: a bigint id must be given`)
  }
  const traceparent = options.traceparent ?? (columns.traceparent && currentTraceparent())
  if (columns.traceparent && traceparent) row[columns.traceparent] ??= traceparent
  if (options.delay !== undefined) delete row[columns.dueAt]
  return row
}

async function knowledgeOf(tx: Transaction, outbox: Outbox): Promise<Known> {
  const known = knownOf.get(outbox)
  if (known) return known
  const { rows: columns } = await tx.query<TypedColumn>(selectColumns(inSql(outbox).template))
  if (columns.length === 0) {
    throw new PosthornError(
      'TABLE_MISMATCH',
      `outbox ${outbox.name}: there is no table ${outbox.table}; run the migrations`,
    )
  }
  await checkLogged(tx, outbox)
  const learnt = { columns, inserts: new Map<string, Prepared>() }
  knownOf.set(outbox, learnt)
  return learnt
}

/**
 * Until a relay has moved what waits, messages in the log would wait there while those of the writers of
 * before go by. Nobody is asked where no relay has ever been.
 */
async function checkLogged(tx: Transaction, outbox: Outbox): Promise<void> {
  if (outbox.log === undefined) return
  const { rows } = await tx.query<{ storage: string }>(selectStorage(inSql(outbox)))
  if (rows.every(({ storage }) => storage === 'log')) return
  throw new PosthornError(
    'STORAGE_IN_USE',
    `outbox ${outbox.name}: ${outbox.table} is not kept in a log yet. Start a relay with this definition ` +
      `first, then its writers. Writers with the old definition may continue.`,
  )
}

/** Every column that some message gives, with its type from the catalogue. */
function findGivenColumns(
  outbox: Outbox,
  { columns }: Known,
  rows: readonly Record<string, unknown>[],
): TypedColumn[] {
  const names = new Set<string>()
  for (const row of rows) for (const name in row) if (row[name] !== undefined) names.add(name)
  const given = columns.filter(({ name }) => names.delete(name))
  const [unknown] = names
  if (unknown !== undefined) {
    throw new DefinitionError(outbox.name, unknown, `${outbox.table} has no such column`)
  }
  return given
}

/** The dedupe key is given whole, or not at all: then the table's own defaults make it unique. */
function givesDedupeKey({ name, columns }: Outbox, given: readonly TypedColumn[]): boolean {
  const names = new Set(given.map((column) => column.name))
  const missing = (columns.dedupe ?? []).filter((column) => !names.has(column))
  if (missing.length > 0 && missing.length < (columns.dedupe?.length ?? 0)) {
    const list = missing.join(', ')
    throw new DefinitionError(
      name,
      'columns.dedupe',
      `a message must give all of it; ${list} is missing`,
    )
  }
  return columns.dedupe !== undefined && missing.length === 0
}

function insertOf(
  outbox: Outbox,
  { inserts }: Known,
  shape: { given: readonly TypedColumn[]; delayed: boolean; dedupes: boolean },
): Prepared {
  const signature = `${shape.delayed} ${shape.given.map(({ name }) => name).join()}`
  const made = inserts.get(signature)
  if (made) return made
  // A borrowed transaction may run on a pooler: no named statement is left behind on its connection.
  const statement = { ...insertMessages(inSql(outbox), shape), name: '' }
  inserts.set(signature, statement)
  return statement
}

function valuesOf(
  { name: outbox }: Outbox,
  given: readonly TypedColumn[],
  rows: readonly Record<string, unknown>[],
): Record<string, unknown[]> {
  return Object.fromEntries(
    given.map((column) => {
      const values = rows.map((row) => encodeField(outbox, column, row[column.name]))
      for (const value of values) checkSize(outbox, column.name, value)
      return [column.name, values]
    }),
  )
}

async function serialiseKeys(
  tx: Transaction,
  outbox: Outbox,
  { rows, options }: { rows: readonly Record<string, unknown>[]; options: EnqueueOptions },
): Promise<void> {
  const { order } = outbox
  if (!(options.serialise ?? order?.serialise)) return
  if (!order) throw new DefinitionError(outbox.name, 'order', 'is needed to serialise by key')
  const keys = rows.map((row) => String(row[order.key]))
  await run(withoutPreparing(tx), lockBuckets(inSql(outbox)), { keys })
}

async function withDuplicates(
  tx: Transaction,
  outbox: Outbox,
  batch: { rows: Record<string, unknown>[]; given: TypedColumn[]; created: ReadonlySet<string> },
): Promise<Enqueued[]> {
  const { rows, given, created } = batch
  const values = valuesOf(outbox, given, rows)
  const found = await run<{ id: string; at: number }>(
    withoutPreparing(tx),
    findDuplicates(inSql(outbox), given),
    values,
  )
  const existing = new Map(found.map(({ id, at }) => [at - 1, id]))
  return rows.map((row, i) => {
    const id = String(row[outbox.columns.id])
    return created.has(id) ? { id, created: true } : { id: existing.get(i) ?? id, created: false }
  })
}

import {
  type TimeSort,
  fromCursor,
  toCursor,
  isId,
  type CheckedDefinition,
  inSql,
  run,
} from '@posthorn/engine/internal'
import {
  type OutboxRow,
  DefinitionError,
  PosthornError,
  type Outbox,
  type Queryable,
} from '@posthorn/engine'
import { fromRow, type RowOf } from '../from-row.ts'
import { readPayload, type Encryption, type Reveal } from './payloads.ts'
import {
  listMessages as listStatement,
  selectArchived,
  selectLogged,
  selectMessage,
  selectTransitions,
  type ListCondition,
} from './messages.sql.ts'

/** Which messages; everything left out matches all. */
export interface MessageFilter {
  /** A word of the table's own; the dead letters are those in the outbox's dead state. */
  readonly state?: string
  /** Text anywhere in the row, its payload included, in upper or lower case. Reads row by row. */
  readonly search?: string
  readonly id?: string
  readonly tenant?: string
  readonly key?: string
  readonly type?: string
  /** The code of the last failure. */
  readonly code?: string
  /** Text anywhere in the last failure's sentence, in upper or lower case. Reads row by row. */
  readonly error?: string
  /** Made at this time or later … */
  readonly since?: Date
  /** … and before this one. */
  readonly until?: Date
}

export interface MessageListOptions extends MessageFilter {
  /** By their time of creation; where a table has none, by their ids. Default `newest` first. */
  readonly sort?: TimeSort
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** From 1 to 500. Default 50. */
  readonly limit?: number
}

/** A message as a list shows it. What the table does not keep is undefined. */
export interface MessageSummary {
  readonly id: string
  readonly state: string
  /** What people know it by, as the definition's `label` says. */
  readonly label: string | undefined
  readonly type: string | undefined
  /** In an ordered outbox. */
  readonly key: string | undefined
  readonly tenant: string | undefined
  readonly createdAt: Date | undefined
  readonly dueAt: Date | undefined
  /** Attempts made: where the counter counts failures, a delivered message had one more. */
  readonly attempts: number
  readonly error: string | undefined
  readonly errorCode: string | undefined
  /** Until when a relay has it, if one has. */
  readonly claimedUntil: Date | undefined
  readonly quarantinedAt: Date | undefined
  /** It waits behind an earlier message of its key. */
  readonly held: boolean
}

export interface MessagePage {
  readonly items: readonly MessageSummary[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** One change of a message's state. */
export interface Transition {
  readonly from: string | undefined
  readonly to: string
  readonly attempt: number | undefined
  readonly code: string | undefined
  readonly error: string | undefined
  readonly actor: string
  readonly reason: string | undefined
  readonly at: Date
}

export interface MessageDetails extends MessageSummary {
  readonly encryption: Encryption
  /** All columns of the table. */
  readonly row: OutboxRow
  /** In order; none where the outbox records none, or when they are past their retention. */
  readonly transitions: readonly Transition[]
  /** When it left its table for the archive; undefined while it is in there. */
  readonly archivedAt: Date | undefined
}

/**
 * Messages of an outbox, newest first, a page at a time. Throws `CURSOR_INVALID` for a cursor that
 * is none, or of another order. A list of all states reads the whole table unless that has an index on its time of
 * creation and its id: without one, a million rows take two seconds.
 */
export async function listMessages(
  db: Queryable,
  outbox: CheckedDefinition,
  options: MessageListOptions = {},
): Promise<MessagePage> {
  const { rows, more } = await readRows(db, outbox, options)
  const last = rows.at(-1)
  return {
    items: rows.map((row) => summaryOf(outbox, row)),
    nextCursor: last && more ? cursorOf(outbox, last, options.sort) : undefined,
  }
}

export interface OutboxMessage extends MessageSummary {
  readonly outbox: string
}

/** Where the page before ended, in each outbox of which something is left; null at its beginning. */
interface MergedPlace {
  readonly [outbox: string]: string | null
}

/**
 * Messages of several outboxes together, newest first, a page at a time. An outbox that does not keep
 * what the filter asks for has none that match. Each page goes on in each outbox behind the last of its
 * messages that was given out, so nothing is read twice or left out. Throws `CURSOR_INVALID`.
 */
export async function listAllMessages(
  db: Queryable,
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  outboxes: readonly Outbox<any>[],
  { cursor, limit: wanted = 50, sort = 'newest', ...filter }: MessageListOptions = {},
): Promise<{ items: readonly OutboxMessage[]; nextCursor: string | undefined }> {
  const limit = boundedLimit(wanted)
  const places = cursor === undefined ? undefined : mergedPlaceIn(cursor)
  const given = CONDITIONS.filter((field) => filter[field] !== undefined)
  const asked = (outboxes as readonly CheckedDefinition[]).filter(
    (outbox) =>
      unkept(outbox, given) === undefined && (places === undefined || outbox.name in places),
  )
  const pages = await Promise.all(
    asked.map(async (outbox) => {
      const before = places?.[outbox.name] ?? undefined
      const options = { ...filter, sort, limit, ...(before !== undefined && { cursor: before }) }
      const { rows, more } = await readRows(db, outbox, options)
      return { outbox, before, more, rows: rows.map((row) => ({ outbox, row })) }
    }),
  )
  const merged = pages.flatMap(({ rows }) => rows).toSorted(byTime(sort))
  const items = merged.slice(0, limit)
  const shown = new Set(items)
  const next: Record<string, string | null> = {}
  for (const { outbox, before, more, rows } of pages) {
    const left = rows.findIndex((each) => !shown.has(each))
    if (left < 0 && !more) continue
    const last = left < 0 ? rows.at(-1) : rows[left - 1]
    next[outbox.name] = last ? cursorOf(outbox, last.row, sort) : (before ?? null)
  }
  return {
    items: items.map(({ outbox, row }) => ({ ...summaryOf(outbox, row), outbox: outbox.name })),
    nextCursor: Object.keys(next).length === 0 ? undefined : encodeMerged(next),
  }
}

interface PlacedRow {
  readonly outbox: CheckedDefinition
  readonly row: OutboxRow
}

/** Messages without a time count as the oldest; those of one moment are sorted by outbox, then as in their table. */
function byTime(sort: TimeSort) {
  const sign = sort === 'newest' ? -1 : 1
  return (one: PlacedRow, other: PlacedRow): number => {
    const [a, b] = [microseconds(one.row), microseconds(other.row)]
    if (a === b) return -sign * one.outbox.name.localeCompare(other.outbox.name)
    return (a ?? 0n) < (b ?? 0n) ? -sign : sign
  }
}

function microseconds(row: OutboxRow): bigint | undefined {
  const us = row['posthorn_us']
  return typeof us === 'string' ? BigInt(us) : undefined
}

function encodeMerged(place: MergedPlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function mergedPlaceIn(cursor: string): MergedPlace {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isPlace =
      typeof place === 'object' &&
      place !== null &&
      !Array.isArray(place) &&
      Object.values(place).every((each) => each === null || typeof each === 'string')
    if (isPlace) return place as MergedPlace
  } catch (cause) {
    throw new PosthornError('CURSOR_INVALID', undefined, { cause })
  }
  throw new PosthornError('CURSOR_INVALID')
}

function boundedLimit(wanted: number): number {
  return Math.min(Math.max(Math.trunc(wanted), 1), 500)
}

/** A page as the table has it, and whether there are more. */
async function readRows(
  db: Queryable,
  outbox: CheckedDefinition,
  options: MessageListOptions,
): Promise<{ rows: readonly OutboxRow[]; more: boolean }> {
  const { columns } = outbox
  const { state, cursor, limit: wanted = 50, sort = 'newest', ...filter } = options
  const given = CONDITIONS.filter((field) => filter[field] !== undefined)
  checkFilter(outbox, given)
  const timed = columns.createdAt !== undefined
  const place =
    cursor === undefined ? undefined : fromCursor(cursor, { idType: columns.idType, timed, sort })
  // No text of Postgres has a zero byte in it: nothing can match.
  const texts = [state, ...given.map((field) => filter[field])].map(String)
  const isNoId = filter.id !== undefined && !isId(filter.id, columns.idType)
  if (isNoId || texts.some((text) => text.includes('\0'))) {
    return { rows: [], more: false }
  }
  const limit = boundedLimit(wanted)
  const statement = listStatement(inSql(outbox), {
    state,
    given,
    goesOn: cursor !== undefined,
    sort,
  })
  const rows = await run<OutboxRow>(
    db,
    { ...statement, name: '' },
    // One more than asked for tells whether there is another page.
    {
      ...filter,
      ...(place && { after_id: place.id, us: place.us }),
      state,
      search: asInRow(filter.search),
      limit: limit + 1,
    },
  )
  return { rows: rows.slice(0, limit), more: rows.length > limit }
}

/**
 * One message, in its table or in the archive, with all that happened to it; undefined if unknown.
 * What is encrypted stays so unless it is revealed.
 */
// oxlint-disable-next-line max-params -- database, outbox, id and whether it is opened
export async function getMessage(
  db: Queryable,
  outbox: CheckedDefinition,
  id: string,
  { reveal }: { readonly reveal?: Reveal } = {},
): Promise<MessageDetails | undefined> {
  if (!isId(id, outbox.columns.idType)) return undefined
  const [kept] = await run<OutboxRow>(db, { ...selectMessage(inSql(outbox)), name: '' }, { id })
  const [logged] =
    kept || outbox.log === undefined
      ? []
      : await run<OutboxRow>(db, { ...selectLogged(inSql(outbox)), name: '' }, { id })
  const live = kept ?? logged
  // The archive's id is text, as Postgres writes it: small letters.
  const archivedId = outbox.columns.idType === 'uuid' ? id.toLowerCase() : id
  const [archived] = live
    ? []
    : await run<OutboxRow>(db, { ...selectArchived(inSql(outbox)), name: '' }, { id: archivedId })
  const found = live ?? archived
  if (!found) return undefined
  const { posthorn_archived_at: archivedAt, posthorn_label: _, ...stored } = found
  const summary = summaryOf(outbox, found)
  const { row, encryption } = await readPayload(db, outbox, { row: stored, reveal })
  return {
    ...summary,
    row,
    encryption,
    transitions: await transitionsOf(db, outbox, summary.id),
    archivedAt: dateOf(archivedAt),
  }
}

async function transitionsOf(
  db: Queryable,
  { name }: CheckedDefinition,
  id: string,
): Promise<Transition[]> {
  const { rows } = await db.query<RowOf<Transition>>(selectTransitions(name, id))
  return rows.map(fromRow<Transition>)
}

function summaryOf(definition: CheckedDefinition, row: OutboxRow): MessageSummary {
  const { columns, counter, order, states } = definition
  const valueOf = (column: string | undefined) => (column === undefined ? undefined : row[column])
  const state = String(row[columns.status])
  const isDelivered = [states.sent, states.confirmed].some((each) => String(each) === state)
  const isUncounted = isDelivered && counter.bumps !== 'on-claim'
  return {
    id: String(row[columns.id]),
    state,
    label: textOf(row['posthorn_label']),
    type: textOf(valueOf(columns.type)),
    key: textOf(valueOf(order?.key)),
    tenant: textOf(valueOf(columns.tenant)),
    createdAt: dateOf(valueOf(columns.createdAt)),
    dueAt: dateOf(row[columns.dueAt]),
    attempts: Number(row[counter.column]) + (isUncounted ? 1 : 0),
    error: textOf(valueOf(columns.error)),
    errorCode: textOf(valueOf(columns.errorCode)),
    claimedUntil: dateOf(row['claimed_until']),
    quarantinedAt: dateOf(row['quarantined_at']),
    held: row['held'] === true,
  }
}

/** As it stands in a row that Postgres has written as text: quotes and backslashes are doubled. */
function asInRow(search: string | undefined): string | undefined {
  return search?.replaceAll(/["\\]/g, '$&$&')
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function dateOf(value: unknown): Date | undefined {
  return value instanceof Date ? value : undefined
}

function cursorOf(
  { columns }: CheckedDefinition,
  row: OutboxRow,
  sort: TimeSort = 'newest',
): string {
  const id = String(row[columns.id])
  return toCursor(columns.createdAt ? { id, us: String(row['posthorn_us']) } : { id }, sort)
}

const CONDITIONS = [
  'search',
  'id',
  'tenant',
  'key',
  'type',
  'code',
  'error',
  'since',
  'until',
] as const satisfies readonly ListCondition[]

/** A condition on a column that the table does not have would match everything: it is refused. */
function checkFilter(outbox: CheckedDefinition, given: readonly ListCondition[]): void {
  const field = unkept(outbox, given)
  if (field === undefined) return
  throw new DefinitionError(outbox.name, `filter.${field}`, 'the outbox has no such column')
}

/** The first condition on a column that the table does not have. */
function unkept(
  { columns, order }: CheckedDefinition,
  given: readonly ListCondition[],
): ListCondition | undefined {
  const has: Partial<Record<ListCondition, string | undefined>> = {
    tenant: columns.tenant,
    key: order?.key,
    type: columns.type,
    code: columns.errorCode,
    error: columns.error,
    since: columns.createdAt,
    until: columns.createdAt,
  }
  return given.find((field) => field in has && has[field] === undefined)
}

import type {
  BreakerOptions,
  Columns,
  Counter,
  Encrypt,
  Fair,
  Order,
  Retention,
  State,
  Upcasters,
} from './definition.ts'
import { type TableName, spell, spellTable } from '../database/sql-names.ts'
import type { RetryPolicy } from './retry.ts'

/** A row of an outbox table as the engine reads it: the table's columns plus the engine's own. */
export type OutboxRow = Record<string, unknown>

/** A limit over all processes, with its defaults written out. */
export interface Limits {
  readonly atOnce: number | undefined
  readonly rate: number | undefined
  readonly perMs: number
  readonly by: string | undefined
}

/** A checked definition with every default written out. Names are as the catalogue has them: rows have them so. */
export interface CheckedDefinition {
  readonly name: string
  readonly table: TableName
  /** The append-only log in front of the table; undefined where messages are enqueued into the table itself. */
  readonly log: TableName | undefined
  /** Where what leaves the log is kept: without the indexes of the table, none of which may refuse a message. */
  readonly exceptions: TableName | undefined
  readonly states: {
    readonly ready: State
    readonly claimed: State | undefined
    readonly sent: State
    readonly confirmed: State | undefined
    readonly retry: State
    readonly failing: State | undefined
    readonly dead: State | undefined
    readonly cancelled: State | undefined
  }
  /** The claimed state of an ordered outbox, which writes nothing to a row that it claims: transitions have it. */
  readonly attempting: State | undefined
  readonly columns: Columns<OutboxRow> & {
    readonly id: string
    readonly idType: 'uuid' | 'bigint' | 'text'
    readonly status: string
  }
  /** The parts of a label: a column, then the properties inside it. */
  readonly label: readonly (readonly [column: string, ...properties: string[]])[]
  readonly counter: Required<Pick<Counter<OutboxRow>, 'column' | 'bumps' | 'unreachable'>> & {
    readonly limit: string | undefined
  }
  readonly batch: number
  /** Messages in hand at once. */
  readonly atOnce: number
  /** Between two polls; undefined for as often as notifications ask for it. */
  readonly everyMs: number | undefined
  readonly unheardMs: number
  readonly leaseMs: number
  readonly attemptMs: number
  readonly order: Order<OutboxRow> | undefined
  readonly fair: Fair<OutboxRow> | undefined
  readonly limit: Limits | undefined
  readonly confirmWithinMs: number | undefined
  readonly retry: RetryPolicy
  readonly unknown: { readonly then: 'resend' | 'hold'; readonly waitMs: number }
  readonly breaker: Required<BreakerOptions> | undefined
  readonly retention: Retention | undefined
  readonly upcasters: Upcasters
  readonly encrypt: Required<Encrypt<OutboxRow>> | undefined
  readonly secrets: readonly string[]
  readonly reads: readonly string[] | undefined
  readonly audit: {
    readonly record: 'all' | 'failures' | 'none'
    readonly actor: string
  }
}

/** What SQL follows from: the same definition, with its names as SQL text wants them. Only `inSql` makes it. */
export interface ResolvedDefinition extends CheckedDefinition {
  readonly names: 'spelled'
  /** Where the messages stand that are claimed as rows: of a log its exceptions, else the definition's table. */
  readonly table: TableName
  /** The definition's table itself: a log has its columns, and nothing in it. */
  readonly template: TableName
}

/** How the messages of an outbox are kept and claimed. */
export type Storage = 'row' | 'key' | 'log'

export function storageOf({ log, order }: Pick<CheckedDefinition, 'log' | 'order'>): Storage {
  if (log !== undefined) return 'log'
  return order ? 'key' : 'row'
}

const known = new WeakMap<CheckedDefinition, ResolvedDefinition>()

/** The definition that SQL is written from. */
export function inSql(definition: CheckedDefinition): ResolvedDefinition {
  const made = known.get(definition) ?? spelled(definition)
  known.set(definition, made)
  return made
}

function spelled(definition: CheckedDefinition): ResolvedDefinition {
  const { table, log, exceptions, columns, counter, order, fair, limit, reads, label } = definition
  return {
    ...definition,
    names: 'spelled',
    table: spellTable(exceptions ?? table),
    template: spellTable(table),
    log: log && spellTable(log),
    exceptions: exceptions && spellTable(exceptions),
    columns: spellColumns(columns),
    label: label.map(([column, ...properties]) => [spell(column), ...properties]),
    counter: {
      ...counter,
      column: spell(counter.column),
      limit: counter.limit && spell(counter.limit),
    },
    order: order && { ...order, key: spell(order.key) },
    fair: fair && { ...fair, by: spell(fair.by) },
    limit: limit && { ...limit, by: limit.by && spell(limit.by) },
    reads: reads?.map(spell),
  }
}

function spellColumns(columns: CheckedDefinition['columns']): CheckedDefinition['columns'] {
  const { idType, ref, dedupe, ...single } = columns
  const spellEach = (names: Readonly<Record<string, string | undefined>>) =>
    Object.fromEntries(
      Object.entries(names).map(([field, name]) => [
        field,
        name === undefined ? name : spell(name),
      ]),
    )
  return {
    ...single,
    ...spellEach(single),
    idType,
    ...(ref && { ref: spellEach(ref) as Record<string, string> }),
    ...(dedupe && { dedupe: dedupe.map(spell) }),
  }
}

/** Claims beyond these gain nothing, and each takes a connection while it is settled. */
const MOST_CLAIMS = 64

/** Claims that one relay has in hand at once, those of slow messages not counted. */
export function claimsAtOnce({
  atOnce,
  batch,
}: Pick<CheckedDefinition, 'atOnce' | 'batch'>): number {
  return Math.min(Math.ceil(atOnce / batch), MOST_CLAIMS)
}

/** Connections that a relay of these outboxes uses at full speed: to claim, to settle each claim, and to listen. */
export function countConnections(
  outboxes: readonly Pick<CheckedDefinition, 'atOnce' | 'batch'>[],
): number {
  return outboxes.reduce((sum, outbox) => sum + claimsAtOnce(outbox) + 2, 2)
}

/**
 * Statements that follow from a definition: written at their first use and kept as long as their outbox.
 * Their prepared names follow from their text, so two outboxes never share one by accident.
 */
export function writeOnce<Statements>(
  write: (definition: ResolvedDefinition) => Statements,
): (outbox: CheckedDefinition) => Statements {
  const written = new WeakMap<CheckedDefinition, Statements>()
  return (outbox) => {
    const found = written.get(outbox) ?? write(inSql(outbox))
    written.set(outbox, found)
    return found
  }
}

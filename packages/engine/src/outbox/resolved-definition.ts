import type {
  BreakerOptions,
  Columns,
  Counter,
  Encrypt,
  Fair,
  Order,
  Retention,
  State,
  TableName,
  Upcasters,
} from './definition.ts'
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
  readonly lanes: number
  readonly everyMs: number
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
}

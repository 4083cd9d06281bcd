import type { Bell } from '../enqueue/bell.ts'
import { createBell } from '../enqueue/bell.ts'
import { checkDefinition } from './check-definition.ts'
import type {
  Audit,
  BreakerOptions,
  Columns,
  Counter,
  Fair,
  Order,
  OutboxDefinition,
  Retention,
  State,
  Upcasters,
} from './definition.ts'
import { toMs } from '../duration.ts'
import type { MessageInit } from './message.ts'
import type { RetryPolicy } from './retry.ts'
import type { Statements } from '../sql/statements.ts'
import { statementsOf } from '../sql/statements.ts'
import type { Destination } from '../relay/transport.ts'

/** A row of an outbox table as the engine reads it: the table's columns plus the engine's own. */
export type OutboxRow = Record<string, unknown>

/**
 * A definition that was checked, with every default written out. The relay, the dashboard and
 * `posthorn status` all read this one object.
 */
export interface Outbox<Row = OutboxRow> {
  readonly name: string
  readonly table: string
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
  readonly counter: Required<Pick<Counter<OutboxRow>, 'column' | 'bumps' | 'unreachable'>> & {
    readonly limit: string | undefined
  }
  readonly batch: number
  readonly lanes: number
  readonly everyMs: number
  readonly leaseMs: number
  readonly order: Order<OutboxRow> | undefined
  readonly fair: Fair<OutboxRow> | undefined
  readonly confirmWithinMs: number | undefined
  readonly retry: RetryPolicy
  readonly unknown: { readonly then: 'resend' | 'hold'; readonly waitMs: number }
  readonly breaker: Required<BreakerOptions> | undefined
  readonly retention: Retention | undefined
  readonly destination: Destination | ((row: Row) => Destination)
  message(row: Row): MessageInit
  readonly upcasters: Upcasters
  readonly secrets: readonly string[]
  readonly reads: readonly string[] | undefined
  readonly audit: Audit<Row> & {
    readonly record: 'all' | 'failures' | 'none'
    readonly actor: string
  }
  readonly statements: Statements
  /** Wakes the relays and notifiers of this process. */
  readonly bell: Bell
}

/**
 * Checks a definition and makes the outbox. Throws a `DefinitionError` that names the field.
 *
 * Defaults: `claim: { batch: 100, every: '5s', lease: '30s', lanes: 2 }`, `states.retry` =
 * `states.ready`, `columns: { id: 'id', status: 'status' }`, `audit.record: 'all'`, no breaker,
 * no order, no retention.
 */
export function defineOutbox<Row>(definition: OutboxDefinition<Row>): Outbox<Row> {
  checkDefinition(definition)
  const { states, counter, claim, breaker, audit } = definition
  const shape = {
    name: definition.name,
    table: definition.table,
    states: {
      ready: states.ready,
      claimed: states.claimed,
      sent: states.sent,
      confirmed: states.confirmed,
      retry: states.retry ?? states.ready,
      failing: states.failing,
      dead: states.dead,
      cancelled: states.cancelled,
    },
    columns: {
      id: 'id',
      idType: 'uuid',
      status: 'status',
      ...definition.columns,
    } as Outbox['columns'],
    counter: {
      column: counter.column,
      bumps: counter.bumps,
      limit: counter.limit,
      unreachable: counter.unreachable ?? 'free',
    },
    batch: claim?.batch ?? 100,
    lanes: claim?.lanes ?? 2,
    everyMs: toMs(claim?.every ?? '5s'),
    leaseMs: toMs(claim?.lease ?? '30s'),
    order: definition.order as Outbox['order'],
    fair: definition.fair as Outbox['fair'],
    confirmWithinMs: definition.confirm?.within && toMs(definition.confirm.within),
    retry: definition.retry,
    unknown: {
      then: definition.unknown?.then ?? 'resend',
      waitMs: toMs(definition.unknown?.wait ?? '2m'),
    },
    breaker: breaker && { failures: 0.7, attempts: 10, window: '1m', probe: '30s', ...breaker },
    retention: definition.retention,
    destination: definition.destination,
    message: definition.message,
    upcasters: definition.upcasters ?? {},
    secrets: definition.secrets ?? [],
    reads: definition.reads,
    audit: { record: 'all', actor: 'RELAY', ...audit },
  } satisfies Omit<Outbox<Row>, 'statements' | 'bell'>
  return { ...shape, statements: statementsOf(shape), bell: createBell() }
}

import { createBell, type Bell } from '../database/bell.ts'
import { checkDefinition } from './check-definition.ts'
import type { Audit, OutboxDefinition } from './definition.ts'
import { toMs } from '../duration.ts'
import type { Recurring } from './recurring.ts'
import type { MessageInit } from './message.ts'
import type { OutboxRow, CheckedDefinition } from './resolved-definition.ts'
import type { Destination } from './transport.ts'

/**
 * A definition that was checked, with every default written out. The relay, the dashboard and
 * `posthorn status` all read this one object.
 */
export interface Outbox<Row = OutboxRow, New = unknown> extends CheckedDefinition {
  readonly destination: Destination | ((row: Row) => Destination)
  message(row: Row): MessageInit
  readonly audit: Audit<Row> & CheckedDefinition['audit']
  readonly recurring: Readonly<Record<string, Recurring<Row>>>
  /** What checks payloads at `enqueue`, by type of message; also read to describe them. */
  readonly schemas: Readonly<Record<string, object>>
  /** Wakes the relays and notifiers of this process. */
  readonly bell: Bell
  /** Never there: carries the type of what a message must be enqueued with. */
  readonly given?: New
}

/** Checks a definition and writes out its defaults. `host/define-outbox.ts` adds what applications call. */
export function defineOutbox<Row, New = Partial<Row>>(
  definition: OutboxDefinition<Row, New>,
): Outbox<Row, New> {
  // What a message is enqueued with says nothing about the definition.
  checkDefinition(definition as unknown as OutboxDefinition<Row>)
  const { states, counter, claim, breaker, audit } = definition
  const resolved = {
    name: definition.name,
    table: definition.table,
    log: definition.storage === 'log' ? `${definition.table}_log` : undefined,
    exceptions: definition.storage === 'log' ? `${definition.table}_exceptions` : undefined,
    states: {
      ready: states.ready,
      claimed: definition.order ? undefined : states.claimed,
      sent: states.sent,
      confirmed: states.confirmed,
      retry: states.retry ?? states.ready,
      failing: states.failing,
      dead: states.dead,
      cancelled: states.cancelled,
    },
    attempting: definition.order ? states.claimed : undefined,
    columns: {
      id: 'id',
      idType: 'uuid',
      status: 'status',
      ...definition.columns,
    } as Outbox['columns'],
    label: (definition.label ?? []).map(partsOf),
    counter: {
      column: counter.column,
      bumps: counter.bumps,
      limit: counter.limit,
      unreachable: counter.unreachable ?? 'free',
    },
    batch: claim?.batch ?? 100,
    atOnce: claim?.atOnce ?? 2 * (claim?.batch ?? 100),
    everyMs: claim?.every === undefined ? undefined : toMs(claim.every),
    unheardMs: toMs(claim?.unheard ?? '5s'),
    leaseMs: toMs(claim?.lease ?? '30s'),
    attemptMs: toMs(claim?.attempt ?? '5m'),
    order: definition.order as Outbox['order'],
    fair: definition.fair as Outbox['fair'],
    limit: definition.limit && {
      atOnce: definition.limit.atOnce,
      rate: definition.limit.rate,
      perMs: toMs(definition.limit.per ?? '1s'),
      by: definition.limit.by,
    },
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
    encrypt: definition.encrypt && { plain: 'accept', ...definition.encrypt },
    secrets: definition.secrets ?? [],
    reads: definition.reads,
    recurring: (definition.recurring ?? {}) as Outbox<Row>['recurring'],
    schemas: {},
    audit: {
      record: definition.storage === 'log' ? 'failures' : 'all',
      actor: 'RELAY',
      ...audit,
    },
  } satisfies Omit<Outbox<Row, New>, 'bell'>
  return { ...resolved, bell: createBell() }
}

/** `payload.order.id` as a column and the properties inside it. */
function partsOf(part: string): [string, ...string[]] {
  const [column = '', ...properties] = part.split('.')
  return [column, ...properties]
}

import type { Duration } from '../duration.ts'
import type { MessageInit } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { MasterKeys } from '../encrypt/master-keys.ts'
import type { Recurring } from './recurring.ts'
import type { EndingPolicy, EndlessPolicy } from './retry.ts'
import type { TableName } from '../database/sql-names.ts'
import type { Transaction } from '../database/transaction.ts'
import type { Destination } from './transport.ts'

/** A word of a table's own for a state; numbers are for tables that store them as such. */
export type State = string | number

/** Columns that the engine adds to every outbox table, or to some, and uses itself. */
export type EngineColumn =
  'claim_token' | 'claimed_until' | 'lost_claims' | 'quarantined_at' | 'seq' | 'bucket' | 'held'

/** What no column of a definition is called: `defineOutbox` says why. */
type NoColumn = EngineColumn | '' | `${string}${'"' | "'" | '.' | ' '}${string}`

/** A column as the table has it: `created_at`, or `createdAt` where that is its name in the database. */
type Column<Row> = Exclude<keyof Row & string, NoColumn>

/** A column, or a property inside one of JSON: `payload.order.id`. */
export type LabelPart<Row> = Column<Row> | `${Column<Row>}.${string}`

/**
 * What the table calls the roles a message goes through. Two roles may share a word; a role that
 * is left out is a feature that is left out.
 */
export interface States {
  /** Waits for its first attempt. */
  readonly ready: State
  /**
   * Is being attempted. Left out: claim columns alone say so, and the state stays as it is. In an ordered
   * outbox, which claims keys, it is recorded as a transition and never stored.
   */
  readonly claimed?: State
  /** The destination has it. */
  readonly sent: State
  /** The outside said that it took effect. Needs `confirm`. */
  readonly confirmed?: State
  /** Waits for another attempt. Default: `ready`. */
  readonly retry?: State
  /** A state that a failed attempt passes through: recorded as a transition, never stored. */
  readonly failing?: State
  /** Given up. */
  readonly dead?: State
  /** Ended by an operator or the application. */
  readonly cancelled?: State
}

/** Which columns hold what. Left out: the table does not keep it. */
export interface Columns<Row> {
  /** Default `id`. */
  readonly id?: Column<Row>
  /** Type of the id column. Default `uuid`. */
  readonly idType?: 'uuid' | 'bigint' | 'text'
  /** Default `status`. */
  readonly status?: Column<Row>
  /** When the next attempt is due, by the business clock. */
  readonly dueAt: Column<Row>
  readonly createdAt?: Column<Row>
  /** When it was sent, by real time. Needed by `confirm.within`. */
  readonly sentAt?: Column<Row>
  /** When it reached its last state. Needed by `retention`. */
  readonly finishedAt?: Column<Row>
  /** Text of the last failure; cleared when the message is sent. */
  readonly error?: Column<Row>
  readonly errorCode?: Column<Row>
  readonly type?: Column<Row>
  readonly tenant?: Column<Row>
  /** A whole number, `not null`: messages with a smaller one go first. Forbidden with `order` and `fair`. */
  readonly priority?: Column<Row>
  /** W3C trace context of the enqueueing transaction; filled in by `enqueue`. */
  readonly traceparent?: Column<Row>
  /** An id of the attempt, new for each one, the same when an attempt is repeated after a crash. */
  readonly attemptId?: Column<Row>
  /** Where the outcome's reference goes: `{ partition: 'kafka_partition' }`. */
  readonly ref?: Readonly<Record<string, Column<Row>>>
  /** Columns of the unique index that makes a second enqueue of the same thing a no-op. */
  readonly dedupe?: readonly Column<Row>[]
}

export interface Counter<Row> {
  readonly column: Column<Row>
  /**
   * When an attempt is counted: at every claim, at the claim of a retry, or when it has failed.
   * A crash is counted by the first two only; lost claims have a counter of their own.
   */
  readonly bumps: 'on-claim' | 'on-retry-claim' | 'on-failure'
  /** Column with this row's own limit of attempts; it replaces the policy's. */
  readonly limit?: Column<Row>
  /** Whether a destination that could not be reached counts. Default `free`. */
  readonly unreachable?: 'free' | 'charged'
}

export interface ClaimOptions {
  /** Messages a claim takes at the most. Default 100. */
  readonly batch?: number
  /** The slow poll under all wake-ups. Default `30s` while the relay hears its own notifications, else `unheard`. */
  readonly every?: Duration
  /** The poll where notifications do not come through. Default `5s`. */
  readonly unheard?: Duration
  /** How long a claim holds without being renewed; it is renewed at a third of it. Default `30s`. */
  readonly lease?: Duration
  /**
   * How long one attempt, a batch of messages in the hands of its transport, may take. Then it is
   * aborted and its outcomes are unknown. Default `5m`.
   */
  readonly attempt?: Duration
  /**
   * Messages that one relay has in hand at once: claimed, and not settled. Default two batches: one is claimed
   * while the other is delivered.
   */
  readonly atOnce?: number
}

export interface Order<Row> {
  /** Messages with the same value go out in the order of `seq`. */
  readonly key: Column<Row>
  /**
   * What happens to the messages behind a dead one: `block` keeps them waiting until an operator
   * acts, `skip` lets them go on, `park` dead-letters them too, so that a replay brings all back in order.
   */
  readonly dead: 'block' | 'skip' | 'park'
  /**
   * Every `enqueue` locks the buckets of its keys until its transaction ends, so that messages of one
   * key are delivered in the order of their commits. Default false: writers serialise themselves.
   */
  readonly serialise?: boolean
}

/** How the messages of many share one outbox, so that one with a million does not hold up another. */
export interface Fair<Row> {
  /** Whose a message is; the column is `not null`. Each value gets a share of every claim. */
  readonly by: Column<Row>
  /**
   * Messages of one value that are sent and not confirmed yet; about, since claims overlap. Without it
   * no key is held back: the shares of a claim alone are fair. Needs `confirm`.
   */
  readonly atOnce?: number
  /**
   * Values that begin with this go first: while others wait too they share half of every claim, else
   * all of it. So what is urgent waits for no backlog, and takes no other's place for good.
   */
  readonly first?: string
}

/** How much a destination is given, by all processes together. Real time. */
export interface Limit<Row> {
  /** Messages in its hands at once: from their claim until they are settled. */
  readonly atOnce?: number
  /** Messages that are claimed for it within any `per`. */
  readonly rate?: number
  /** Up to a day. Default `1s`. Needs `rate`. */
  readonly per?: Duration
  /** Each value of the column has the limit for itself. Needs `fair` by the same column. */
  readonly by?: Column<Row>
}

export interface Confirm {
  /** Without an outcome for this long (real time) the same message is sent again, uncharged. */
  readonly within?: Duration
}

/** What becomes of a message whose outcome is unknown. */
export interface UnknownPolicy {
  /** `resend` (default) may double it; `hold` ends it for a person to look at. */
  readonly then: 'resend' | 'hold'
  /** How long a confirmation may still settle it. Needs a claimed state. Default `2m`. */
  readonly wait?: Duration
}

export interface BreakerOptions {
  /** Share of failures that opens it. Default 0.7. */
  readonly failures?: number
  /** Attempts in the window before it may open. Default 10. */
  readonly attempts?: number
  /** Default `1m`. */
  readonly window?: Duration
  /** Time between probes while it is open. Default `30s`. */
  readonly probe?: Duration
}

/** A change the engine made to one message. */
export interface Change<Row> {
  /** The row as it was claimed (or found, for `confirm` and `replay`). */
  readonly row: Row
  readonly from: State
  readonly to: State
  /** Attempts made, this one included. */
  readonly attempt: number
  readonly outcome: Outcome
  /** Until the next attempt; undefined when there is none. */
  readonly retryInMs: number | undefined
}

export interface Audit<Row> {
  /** Which transitions go to `posthorn.transition`. Default `all`; `failures` with `storage: 'log'`. */
  readonly record?: 'all' | 'failures' | 'none'
  /** Who the transitions are said to be by. Default `RELAY`. */
  readonly actor?: string
  /** Runs in the transaction of the claim: what it writes commits with it. */
  claimed?(tx: Transaction, rows: readonly Row[]): Promise<void>
  /** Runs in the transaction that settles or confirms: what it writes commits with it. */
  settled?(tx: Transaction, changes: readonly Change<Row>[]): Promise<void>
}

export interface Retention {
  /** Finished rows leave the table this long after they finished. */
  readonly after: Duration
  /** How long the archive keeps them; `0d` deletes them at once. */
  readonly archive: Duration
}

/** Which columns are stored encrypted, each tenant's with a key of its own. */
export interface Encrypt<Row> {
  /**
   * Columns of type `jsonb`, `json`, `text` or `bytea` that only `message` reads. `destination` and
   * `audit` see them encrypted, a list of messages cannot be searched by them, and the engine's own
   * columns cannot be among them.
   */
  readonly columns: readonly Column<Row>[]
  /** `keyRing(secrets)`, or a key management service. */
  readonly keys: MasterKeys
  /**
   * What becomes of a message that is not encrypted: `accept` (default) delivers what was written
   * before encryption was switched on; `refuse` ends it, so that what was written without the key
   * never goes out.
   */
  readonly plain?: 'accept' | 'refuse'
}

/** Raises payloads of an older version by one: type → version → function. */
export type Upcasters = Readonly<
  Record<string, Readonly<Record<number, (payload: never) => unknown>>>
>

interface Common<Row, New> {
  /** `system.noun`, e.g. `shop.order-events`; unique in the database. */
  readonly name: string
  /** With its schema, without quotes, as the database has it: `shop.outbox`, `public.OutboxEvent`. */
  readonly table: TableName
  readonly columns: Columns<Row>
  /**
   * What people know a message by: its case, order or recipient. Lists and details show the parts that
   * a row has, joined by a dot, up to 200 characters. Up to five; none of them encrypted or secret.
   */
  readonly label?: readonly LabelPart<Row>[]
  readonly counter: Counter<Row>
  /**
   * Where messages are kept. `table` (default): one row a message, written when it is enqueued and when it
   * is settled. `log`: an append-only log beside the table, `<table>_log`; what goes straight through is
   * never written again, and the table has only what did not. Needs `order`.
   */
  readonly storage?: 'table' | 'log'
  readonly claim?: ClaimOptions
  readonly order?: Order<Row>
  /** Default: oldest first. Forbidden with `order`. */
  readonly fair?: Fair<Row>
  /** Default: as much as the relays can. Not with `storage: 'log'`. */
  readonly limit?: Limit<Row>
  /** Default off: a schedule that never gives up is itself the answer to a broken destination. */
  readonly breaker?: BreakerOptions
  readonly retention?: Retention
  readonly unknown?: UnknownPolicy
  readonly destination: Destination | ((row: Row) => Destination)
  /**
   * The columns that `message`, `destination` and `audit` read, beside those the engine needs itself.
   * Default all. In a wide table a batch is claimed for less. Forbidden with `claimed`.
   */
  readonly reads?: readonly Column<Row>[]
  /** Pure: the row as a message. A throw quarantines the row. */
  message(row: Row): MessageInit
  readonly upcasters?: Upcasters
  /** Default: payloads stand in the table as they are. */
  readonly encrypt?: Encrypt<Row>
  /** Names of columns and of properties, at any depth, that no view of a message shows. */
  readonly secrets?: readonly string[]
  readonly audit?: Audit<Row>
  /** Messages that the outbox gives itself, by name: by a calendar, or every so often. */
  readonly recurring?: Readonly<Record<string, Recurring<Row, New>>>
}

type Ending =
  | { readonly retry: EndingPolicy; readonly states: States & { readonly dead: State } }
  | { readonly retry: EndlessPolicy; readonly states: States & { readonly dead?: never } }

type Confirming =
  | { readonly confirm: Confirm; readonly states: { readonly confirmed: State } }
  | { readonly confirm?: never; readonly states: { readonly confirmed?: never } }

/**
 * All there is to say about an outbox: what it is, how it looks, when it goes, where it goes. `New` is what
 * a message must be enqueued with.
 */
export type OutboxDefinition<Row, New = Partial<Row>> = Common<Row, New> & Ending & Confirming

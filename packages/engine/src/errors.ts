import type { Duration } from './duration.ts'
import { cut, storableText } from './storable.ts'

/**
 * Every code the engine raises or writes into a row, with the sentence that explains it.
 * `docs/reference/errors.md` lists the same codes; a test compares both ways.
 */
export const ERROR_CODES = {
  DEFINITION_INVALID: 'The definition of an outbox is wrong; the message names the field.',
  TABLE_MISMATCH: 'The table lacks something that the definition needs; the message names it.',
  ROWS_HIDDEN: "Row-level security hides messages from the relay's role.",
  SEQUENCE_HIDDEN: "The relay's role may not read the sequence of the outbox's log.",
  TABLE_REPLACED: 'Another table replaced the one that the relay started with.',
  RIGHTS_MISSING: "The relay's role lacks rights that it needs; the message names each.",
  TRIGGER_IN_THE_WAY: 'A trigger changes columns by which the relay finds messages.',
  INDEX_IN_THE_WAY:
    'A unique index contains a column that the relay writes, so settling a message may fail.',
  OUTBOX_NAME_TAKEN: 'The name of the outbox belongs to another table of this database.',
  STORAGE_IN_USE: 'Live relays or writers still use another storage for this outbox.',
  STORAGE_NOT_MOVED: 'Pending messages cannot be moved to the storage of the definition.',
  NOT_IN_TRANSACTION: 'A message can only be enqueued inside a transaction.',
  CALL_NOT_AWAITED:
    'The function of a transaction returned while a call on its tx was in flight; nothing was stored.',
  MESSAGE_TOO_LARGE:
    'A part of an enqueued message is longer than its limit; the message names it. Nothing was stored.',
  TRANSACTION_ENDED:
    'The function of a transaction sent commit or rollback; the transaction ends when the function returns.',
  CLOCK_FIXED: 'The business clock is the real one and cannot be moved.',
  DURATION_INVALID: 'A duration is a number and a unit: ms, s, m, h or d.',
  CLAIM_LOST:
    'The relay lost the claim before settling: the lease ended, or a confirmation came first.',
  CLAIM_EXPIRED: 'A relay disappeared with the message in flight.',
  CLAIM_FATAL:
    'Three claims of this message alone were lost with their relay, or could not be settled.',
  ATTEMPT_TIMEOUT:
    'The transport or handler did not finish within the time of an attempt; its effect may have happened.',
  MESSAGE_UNREADABLE: 'The row cannot be turned into a message.',
  PAYLOAD_KEY_MISSING:
    'The key of an encrypted payload is not available; the message waits and no attempt is counted.',
  PAYLOAD_SHREDDED: 'The key of the payload was destroyed: it cannot be read again.',
  PAYLOAD_TAMPERED: 'An encrypted payload was changed, moved to another row, or truncated.',
  CONSUMER_FAILED: 'The handler of a consumer threw an error that has no code.',
  CONSUMER_LOST: 'Three processes in a row died while handling this message alone.',
  MESSAGE_UNSTORABLE:
    'The database cannot store the message: it is not enqueued, or becomes a shortened dead letter.',
  DELIVERY_FAILED: 'The destination did not accept the message.',
  DELIVERY_REFUSED: 'The destination will never accept the message.',
  DELIVERY_UNKNOWN: 'The destination may have accepted the message.',
  DESTINATION_UNREACHABLE: 'The destination could not be reached.',
  BREAKER_OPEN: 'The destination fails too often; the message waits for the next probe.',
  TRANSPORT_MISSING: 'The relay has no transport of this name.',
  TRANSPORT_BROKEN: 'A transport broke its contract.',
  HANDLER_MISSING: 'This process has no handler for this message type.',
  PAYLOAD_INVALID: 'The payload does not match its schema; nothing was stored.',
  RECURRING_FAILED: 'A recurring message could not be created or stored; nothing was enqueued.',
  HELD_BACK: 'An earlier message of the same key failed and will be retried first.',
  PARKED: 'An earlier message of the same key is dead, and this outbox parks later ones.',
  CONFIRM_OVERDUE: 'No outcome came in time; the message is sent again.',
  OUTBOX_STALLED: 'Messages are due and no relay takes them; the alert says what the relays see.',
  OUTBOX_BEHIND: 'The oldest due message is much later than usual for this outbox.',
  DESTINATION_DOWN:
    'A destination does not answer: its breaker is open, or most attempts of the last minutes failed.',
  MESSAGE_STUCK: 'A message is retried without end, because no attempt is counted.',
  REPLAYED: 'An operator sent the message again.',
  INBOX_EXPIRED:
    'The message is older than the retention of the inbox, so it cannot be distinguished from a repeat.',
  IDEMPOTENCY_LOCK_LOST: 'The lock on the idempotency key was taken over by another request.',
  CURSOR_INVALID: 'The cursor does not belong to this list.',
  FEED_BEHIND: 'The reader of a feed was too slow; it can continue from its last position.',
  ANNOUNCEMENT_INVALID:
    'The topic, id or tenant of an announcement is invalid; the message names it.',
  POSTGRES_TOO_OLD: 'The server is older than PostgreSQL 14.',
  MIGRATION_CHANGED: 'An applied migration was edited.',
  MIGRATION_REWRITTEN:
    'This database was made by a development version before the schema was rewritten; create a new database.',
  MIGRATION_UNKNOWN: 'The database has a breaking migration that this version does not know.',
  MIGRATION_BLOCKED: 'A migration did not get its locks in time.',
  MIGRATION_INVALID: 'A migration that runs outside a transaction cannot be repeated.',
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** An error with a code, of any package: branch on `code`, never on `message`. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** The root of everything the engine throws. */
export class PosthornError extends CodedError<ErrorCode> {
  constructor(code: ErrorCode, message?: string, options?: ErrorOptions) {
    super(code, message ?? ERROR_CODES[code], options)
  }
}

/** A wrong definition, or wrong options of a call; thrown at start and names the field. */
export class DefinitionError extends PosthornError {
  readonly field: string

  constructor(where: string, field: string, problem: string) {
    // A function's options are no outbox's: `posthorn()`.
    const place = where.endsWith('()') ? where : `outbox ${where}`
    super('DEFINITION_INVALID', `${place}: ${field}: ${problem}`)
    this.field = field
  }
}

/** Settled after the lease was gone: nothing was changed. */
export class LostClaimError extends PosthornError {
  readonly ids: readonly string[]

  constructor(outbox: string, ids: readonly string[]) {
    super('CLAIM_LOST', `outbox ${outbox}: the claim on ${ids.length} message(s) was lost`)
    this.ids = ids
  }
}

/** What transports and providers throw when they know more than "it failed". */
export class DeliveryError extends CodedError {
  /** False when the same message can never succeed. */
  readonly retryable: boolean
  /** How long the destination asked us to wait. */
  readonly after: Duration | undefined
  /** True when the message was not even tried: a consumer keeps it without charging an attempt. */
  readonly unreachable: boolean

  constructor(
    code: string,
    message: string,
    options: ErrorOptions & { retryable?: boolean; after?: Duration; unreachable?: boolean } = {},
  ) {
    super(code, message, options)
    this.retryable = options.retryable ?? true
    this.after = options.after
    this.unreachable = options.unreachable ?? false
  }
}

/** A checksum or version mismatch between this code and the database. */
export class MigrationError extends PosthornError {}

/** SQLSTATEs the engine branches on, by name. */
export const SQLSTATE = {
  notNullViolation: '23502',
  uniqueViolation: '23505',
  checkViolation: '23514',
  inFailedTransaction: '25P02',
  idleInTransaction: '25P03',
  transactionTimeout: '25P04',
  undefinedTable: '42P01',
  undefinedColumn: '42703',
  undefinedFunction: '42883',
  deadlock: '40P01',
  serializationFailure: '40001',
  noSuchPreparedStatement: '26000',
  duplicatePreparedStatement: '42P05',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  invalidSchemaName: '3F000',
} as const

/** The SQLSTATE of a database error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : undefined
}

/** What is kept of an error: enough for a person to act on, nothing that could hold a secret. */
export interface Failure<Code extends string = string> {
  readonly code: Code
  readonly message: string
}

/** Longest error text kept on a row: a proxy's page of HTML explains nothing. */
const MAX_MESSAGE = 2_000
const MAX_CODE = 100

/** Code and message of anything thrown or returned as an error. */
export function failureOf<Fallback extends string>(error: unknown, fallback: Fallback): Failure {
  if (typeof error !== 'object' || error === null) return storableFailure(fallback, String(error))
  const code = 'code' in error && typeof error.code === 'string' ? error.code : fallback
  const message =
    'message' in error && typeof error.message === 'string' && error.message !== ''
      ? error.message
      : code
  return storableFailure(code, message)
}

/** A failure must never make settling fail. */
function storableFailure(code: string, message: string): Failure {
  return {
    code: storableText(cut(code, MAX_CODE)),
    message: storableText(cut(message, MAX_MESSAGE)),
  }
}

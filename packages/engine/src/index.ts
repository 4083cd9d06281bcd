export { backOff, type BackOff } from './back-off.ts'
export { fromDrizzle, type DrizzleInsert, type DrizzleRow } from './enqueue/adapters/drizzle.ts'
export { fromKnex } from './enqueue/adapters/knex.ts'
export { fromKysely } from './enqueue/adapters/kysely.ts'
export { fromMikroOrm } from './enqueue/adapters/mikro-orm.ts'
export { fromPg } from './enqueue/adapters/pg.ts'
export { fromPostgres } from './enqueue/adapters/postgres.ts'
export { fromPrisma } from './enqueue/adapters/prisma.ts'
export { fromTypeOrm } from './enqueue/adapters/typeorm.ts'
export {
  type Handler,
  type Handlers,
  type HandlersOptions,
  type OutsideHandler,
  type Handling,
} from './host/handlers.ts'
export { type Payloads, type PayloadSchema } from './host/payload-schema.ts'
export {
  posthorn,
  setUpTables,
  tablesOf,
  type Posthorn,
  type PosthornOptions,
} from './host/posthorn.ts'
export {
  outbox,
  type StandardOptions,
  type StandardOutbox,
  type StandardRow,
} from './host/standard-outbox.ts'
export { type Transports } from './relay/attempt/attempt.ts'
export { confirm, type Confirmation } from './relay/settle/confirm.ts'
export { consoleTransport, type ConsoleTransport } from './outbox/console-transport.ts'
export {
  defineOutbox,
  type DefinedOutbox,
  type Draft,
  type DraftOptions,
  type Drafted,
} from './host/define-outbox.ts'
export { type Outbox } from './outbox/define.ts'
export { type Occurrence, type Recurring } from './outbox/recurring.ts'
export { type OutboxRow } from './outbox/resolved-definition.ts'
export {
  type Change,
  type LabelPart,
  type OutboxDefinition,
  type State,
  type States,
} from './outbox/definition.ts'
export { type TableName } from './database/sql-names.ts'
export {
  decryptBytes,
  encryptBytes,
  keyRing,
  type MasterKeys,
  type WrappedKey,
} from './encrypt/master-keys.ts'
export { connectionGate } from './database/connection-gate.ts'
export { toMs, type Duration } from './duration.ts'
export { enqueue, enqueueAll, type EnqueueOptions, type NewRow } from './enqueue/enqueue.ts'
export {
  CodedError,
  DefinitionError,
  DeliveryError,
  MigrationError,
  PosthornError,
  SQLSTATE,
  sqlState,
  type ErrorCode,
  failureOf,
  type Failure,
} from './errors.ts'
export { consoleLog, LineLimit, silentLog, type Log } from './log.ts'
export { directionOf, type Direction } from './database/direction.sql.ts'
export { toMessage, type Message, type MessageInit } from './outbox/message.ts'
export { type Metrics } from './metrics.ts'
export {
  engineMigrations,
  migrate,
  migrationsFrom,
  type Migration,
  type MigrationSet,
} from './database/migrate.ts'
export { createNotifier, type Notifier } from './enqueue/notifier.ts'
export {
  delivered,
  refused,
  retryLater,
  unknown,
  unreachable,
  wasTried,
  type Outcome,
  type Reference,
} from './outbox/outcome.ts'
export { countConnections } from './relay/window.ts'
export { createRelay, type Drained, type Relay, type RelayOptions } from './relay/relay.ts'
export { relays, type Relays, type RelaysOptions, type RelayStatus } from './relay/relays.ts'
export {
  exponential,
  fixed,
  nextDelay,
  schedule,
  type EndingPolicy,
  type EndlessPolicy,
  type RetryPolicy,
} from './outbox/retry.ts'
export { sql, type Statement } from './database/sql-tag.ts'
export { outboxTableSql } from './outbox/table.sql.ts'
export { listHazards, type TableHazard } from './outbox/hazards.ts'
export { currentTraceparent } from './outbox/trace.ts'
export {
  borrowTransaction,
  checkOut,
  lendTransaction,
  transaction,
  type Queryable,
  type Transaction,
} from './database/transaction.ts'
export {
  deliverEach,
  type BatchContext,
  type ConsumeContext,
  type Consumer,
  type ConsumerBatch,
  type DeliverOptions,
  type Delivery,
  type Destination,
  type Handled,
  type Subscriber,
  type Subscription,
  type Transport,
} from './outbox/transport.ts'
export { storableJson, storableText } from './storable.ts'
export { uuid } from './uuid.ts'
export { Semaphore } from './semaphore.ts'

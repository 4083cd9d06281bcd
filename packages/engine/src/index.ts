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
  type Handling,
  type HandlersOptions,
} from './host/handlers.ts'
export { posthorn, type Posthorn, type PosthornOptions } from './host/posthorn.ts'
export {
  outbox,
  type StandardOutbox,
  type StandardRow,
  type StandardOptions,
} from './host/standard-outbox.ts'
export { confirm, type Confirmation } from './relay/settle/confirm.ts'
export { consoleTransport, type ConsoleTransport } from './outbox/console-transport.ts'
export { defineOutbox, type DefinedOutbox, type Draft } from './host/define-outbox.ts'
export { type Payloads } from './host/payload-schema.ts'
export { type Outbox } from './outbox/define.ts'
export { type OutboxRow } from './outbox/resolved-definition.ts'
export { type Change, type OutboxDefinition } from './outbox/definition.ts'
export { keyRing, type MasterKeys } from './encrypt/master-keys.ts'
export { toMs, type Duration } from './duration.ts'
export { enqueue, enqueueAll, type EnqueueOptions, type Enqueued } from './enqueue/enqueue.ts'
export {
  CodedError,
  DefinitionError,
  DeliveryError,
  PosthornError,
  SQLSTATE,
  sqlState,
  type ErrorCode,
  failureOf,
  type Failure,
} from './errors.ts'
export { consoleLog, silentLog, type Log } from './log.ts'
export { toMessage, type Message } from './outbox/message.ts'
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
} from './outbox/outcome.ts'
export { createRelay, type Relay, type RelayOptions, type Drained } from './relay/relay.ts'
export { relays, type Relays, type RelayStatus } from './relay/relays.ts'
export { exponential, fixed, nextDelay, schedule, type RetryPolicy } from './outbox/retry.ts'
export { sql, type Statement } from './database/sql-tag.ts'
export { outboxTableSql } from './outbox/table.sql.ts'
export {
  borrowTransaction,
  transaction,
  type Queryable,
  type Transaction,
} from './database/transaction.ts'
export {
  deliverEach,
  type Consumer,
  type ConsumerBatch,
  type Delivery,
  type Destination,
  type Handled,
  type Subscriber,
  type Transport,
} from './outbox/transport.ts'
export { uuid } from './uuid.ts'

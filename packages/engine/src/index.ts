export { fromDrizzle } from './enqueue/adapters/drizzle.ts'
export { fromKnex } from './enqueue/adapters/knex.ts'
export { fromKysely } from './enqueue/adapters/kysely.ts'
export { fromMikroOrm } from './enqueue/adapters/mikro-orm.ts'
export { fromPg } from './enqueue/adapters/pg.ts'
export { fromPostgres } from './enqueue/adapters/postgres.ts'
export { fromPrisma } from './enqueue/adapters/prisma.ts'
export { fromTypeOrm } from './enqueue/adapters/typeorm.ts'
export {
  acknowledgeAlert,
  listAlerts,
  openAlerts,
  raiseAlert,
  recoverAlert,
} from './operate/alerts.ts'
export type {
  Alert,
  AlertFilter,
  AlertListOptions,
  AlertPage,
  AlertState,
  NewAlert,
} from './operate/alerts.ts'
export type { Transports } from './relay/attempt.ts'
export { searchAudit } from './operate/audit.ts'
export type {
  AuditEntry,
  AuditFilter,
  AuditOptions,
  AuditPage,
  Operation,
  RecordedTransition,
} from './operate/audit.ts'
export { readBloat } from './operate/bloat.ts'
export type { Bloat, Horizon, TableBloat } from './operate/bloat.ts'
export { advanceClock, readClock, useMovableClock } from './maintain/clock.ts'
export type { ClockState } from './maintain/clock.ts'
export { confirm } from './relay/confirm.ts'
export type { Confirmation } from './relay/confirm.ts'
export { listHeldKeys, listPaused, pause, resume } from './operate/control.ts'
export type { HeldKey, Paused } from './operate/control.ts'
export { defineOutbox } from './outbox/define.ts'
export type { Outbox, OutboxRow } from './outbox/define.ts'
export type { Change, OutboxDefinition, State, States } from './outbox/definition.ts'
export { toMs } from './duration.ts'
export type { Duration } from './duration.ts'
export { enqueue, enqueueAll } from './enqueue/enqueue.ts'
export type { EnqueueOptions, Enqueued } from './enqueue/enqueue.ts'
export {
  DefinitionError,
  DeliveryError,
  ERROR_CODES,
  LostClaimError,
  MigrationError,
  PosthornError,
  SQLSTATE,
  sqlState,
} from './errors.ts'
export type { ErrorCode } from './errors.ts'
export type { FeedBatch, FeedFilter } from './operate/feed-subscriber.ts'
export { createFeed } from './operate/feed.ts'
export type { Feed, FeedOptions, SubscribeOptions } from './operate/feed.ts'
export { outboxGraph, transitionRates } from './operate/graph.ts'
export type {
  Graph,
  GraphEdge,
  GraphNode,
  Move,
  StateRole,
  TransitionRates,
} from './operate/graph.ts'
export { readHistory } from './operate/history.ts'
export type { History, HistoryPoint } from './operate/history.ts'
export {
  abandonKey,
  claimKey,
  claimStaleKeys,
  completeKey,
  defineIdempotency,
  extendLock,
  fingerprint,
  idempotencyTableSql,
  pruneKeys,
  saveState,
} from './inbox/idempotency.ts'
export type { IdempotencyStore, KeyClaim, KeyOutcome, StoredResponse } from './inbox/idempotency.ts'
export { pruneInbox } from './inbox/inbox-prune.ts'
export { around, defineInbox, inboxTableSql, once } from './inbox/inbox.ts'
export type { Inbox, Once, Receipt } from './inbox/inbox.ts'
export { readJourney } from './operate/journey.ts'
export type { Journey, JourneyStep } from './operate/journey.ts'
export { silentLog } from './log.ts'
export type { Log } from './log.ts'
export { maintain } from './maintain/maintenance.ts'
export type { MaintainOptions, Maintained } from './maintain/maintenance.ts'
export { toMessage } from './outbox/message.ts'
export type { Message, MessageInit } from './outbox/message.ts'
export { isId } from './operate/cursor.ts'
export type { IdType } from './operate/cursor.ts'
export { getMessage, listMessages } from './operate/messages.ts'
export type {
  MessageDetails,
  MessageFilter,
  MessageListOptions,
  MessagePage,
  MessageSummary,
  Transition,
} from './operate/messages.ts'
export { noMetrics } from './metrics.ts'
export type { Labels, Metrics } from './metrics.ts'
export {
  engineMigrations,
  migrate,
  migrationSql,
  migrationStatus,
  migrationsFrom,
} from './maintain/migrate.ts'
export type { Migration, MigrationSet, MigrationStatus } from './maintain/migrate.ts'
export type { NewsFilter, NewsItem } from './operate/announcement-subscriber.ts'
export { announce, createNews } from './operate/announcements.ts'
export type {
  Announcement,
  News,
  NewsOptions,
  SubscribeNewsOptions,
} from './operate/announcements.ts'
export { createNotifier, wakeEverybody } from './enqueue/notifier.ts'
export type { Notifier } from './enqueue/notifier.ts'
export { delivered, failureOf, refused, retryLater, unknown, unreachable } from './relay/outcome.ts'
export type { Failure, Outcome, Reference } from './relay/outcome.ts'
export { readOverview } from './operate/overview.ts'
export type { AliveRelay, BreakerState, OutboxOverview, Overview } from './operate/overview.ts'
export { prune } from './maintain/prune.ts'
export type { PruneOptions, Pruned } from './maintain/prune.ts'
export { createRelay } from './relay/relay.ts'
export type { Relay, RelayOptions } from './relay/relay.ts'
export { cancel, countReplay, groupDead, replay, unblock } from './operate/replay.ts'
export type { DeadGroup, Operator, ReplayFilter, ReplayOptions } from './operate/replay.ts'
export { exponential, fixed, nextDelay, schedule } from './outbox/retry.ts'
export type { EndingPolicy, EndlessPolicy, RetryPolicy } from './outbox/retry.ts'
export { takeSamples } from './operate/sample.ts'
export { sql } from './enqueue/sql-tag.ts'
export type { Statement } from './enqueue/sql-tag.ts'
export { outboxStats } from './operate/stats.ts'
export type { OutboxStats } from './operate/stats.ts'
export { outboxTableSql } from './outbox/table-sql.ts'
export { currentTraceparent, withConsumerSpan } from './trace.ts'
export { borrowTransaction, transaction } from './enqueue/transaction.ts'
export type { Queryable, Transaction, TransactionSource } from './enqueue/transaction.ts'
export type {
  ConsumeContext,
  Consumer,
  DeliverOptions,
  Delivery,
  Destination,
  Subscriber,
  Subscription,
  Transport,
} from './relay/transport.ts'
export { uuid } from './uuid.ts'
export { viewMessage } from './operate/view.ts'
export type { MessageView } from './operate/view.ts'

export { fromDrizzle } from './adapters/drizzle.ts'
export { fromKnex } from './adapters/knex.ts'
export { fromKysely } from './adapters/kysely.ts'
export { fromMikroOrm } from './adapters/mikro-orm.ts'
export { fromPg } from './adapters/pg.ts'
export { fromPostgres } from './adapters/postgres.ts'
export { fromPrisma } from './adapters/prisma.ts'
export { fromTypeOrm } from './adapters/typeorm.ts'
export { acknowledgeAlert, listAlerts, openAlerts, raiseAlert, recoverAlert } from './alerts.ts'
export type {
  Alert,
  AlertFilter,
  AlertListOptions,
  AlertPage,
  AlertState,
  NewAlert,
} from './alerts.ts'
export type { Transports } from './attempt.ts'
export { searchAudit } from './audit.ts'
export type {
  AuditEntry,
  AuditFilter,
  AuditOptions,
  AuditPage,
  Operation,
  RecordedTransition,
} from './audit.ts'
export { readBloat } from './bloat.ts'
export type { Bloat, Horizon, TableBloat } from './bloat.ts'
export { advanceClock, readClock, useMovableClock } from './clock.ts'
export type { ClockState } from './clock.ts'
export { confirm } from './confirm.ts'
export type { Confirmation } from './confirm.ts'
export { listHeldKeys, listPaused, pause, resume } from './control.ts'
export type { HeldKey, Paused } from './control.ts'
export { defineOutbox } from './define.ts'
export type { Outbox, OutboxRow } from './define.ts'
export type { Change, OutboxDefinition, State, States } from './definition.ts'
export { toMs } from './duration.ts'
export type { Duration } from './duration.ts'
export { enqueue, enqueueAll } from './enqueue.ts'
export type { EnqueueOptions, Enqueued } from './enqueue.ts'
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
export type { FeedBatch, FeedFilter } from './feed-subscriber.ts'
export { createFeed } from './feed.ts'
export type { Feed, FeedOptions, SubscribeOptions } from './feed.ts'
export { outboxGraph, transitionRates } from './graph.ts'
export type { Graph, GraphEdge, GraphNode, Move, StateRole, TransitionRates } from './graph.ts'
export { readHistory } from './history.ts'
export type { History, HistoryPoint } from './history.ts'
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
} from './idempotency.ts'
export type { IdempotencyStore, KeyClaim, KeyOutcome, StoredResponse } from './idempotency.ts'
export { pruneInbox } from './inbox-prune.ts'
export { around, defineInbox, inboxTableSql, once } from './inbox.ts'
export type { Inbox, Once, Receipt } from './inbox.ts'
export { readJourney } from './journey.ts'
export type { Journey, JourneyStep } from './journey.ts'
export { silentLog } from './log.ts'
export type { Log } from './log.ts'
export { maintain } from './maintenance.ts'
export type { MaintainOptions, Maintained } from './maintenance.ts'
export { toMessage } from './message.ts'
export type { Message, MessageInit } from './message.ts'
export { isId } from './cursor.ts'
export type { IdType } from './cursor.ts'
export { getMessage, listMessages } from './messages.ts'
export type {
  MessageDetails,
  MessageFilter,
  MessageListOptions,
  MessagePage,
  MessageSummary,
  Transition,
} from './messages.ts'
export { noMetrics } from './metrics.ts'
export type { Labels, Metrics } from './metrics.ts'
export {
  engineMigrations,
  migrate,
  migrationSql,
  migrationStatus,
  migrationsFrom,
} from './migrate.ts'
export type { Migration, MigrationSet, MigrationStatus } from './migrate.ts'
export type { NewsFilter, NewsItem } from './news-subscriber.ts'
export { announce, createNews } from './news.ts'
export type { Announcement, News, NewsOptions, SubscribeNewsOptions } from './news.ts'
export { createNotifier, wakeEverybody } from './notifier.ts'
export type { Notifier } from './notifier.ts'
export { delivered, failureOf, refused, retryLater, unknown, unreachable } from './outcome.ts'
export type { Failure, Outcome, Reference } from './outcome.ts'
export { readOverview } from './overview.ts'
export type { AliveRelay, BreakerState, OutboxOverview, Overview } from './overview.ts'
export { prune } from './prune.ts'
export type { PruneOptions, Pruned } from './prune.ts'
export { createRelay } from './relay.ts'
export type { Relay, RelayOptions } from './relay.ts'
export { cancel, countReplay, groupDead, replay, unblock } from './replay.ts'
export type { DeadGroup, Operator, ReplayFilter, ReplayOptions } from './replay.ts'
export { exponential, fixed, nextDelay, schedule } from './retry.ts'
export type { EndingPolicy, EndlessPolicy, RetryPolicy } from './retry.ts'
export { takeSamples } from './sample.ts'
export { sql } from './sql-tag.ts'
export type { Statement } from './sql-tag.ts'
export { outboxStats } from './stats.ts'
export type { OutboxStats } from './stats.ts'
export { outboxTableSql } from './table.ts'
export { currentTraceparent, withConsumerSpan } from './trace.ts'
export { borrowTransaction, transaction } from './transaction.ts'
export type { Queryable, Transaction, TransactionSource } from './transaction.ts'
export type {
  ConsumeContext,
  Consumer,
  DeliverOptions,
  Delivery,
  Destination,
  Subscriber,
  Subscription,
  Transport,
} from './transport.ts'
export { uuid } from './uuid.ts'
export { viewMessage } from './view.ts'
export type { MessageView } from './view.ts'

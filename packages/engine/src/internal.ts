/*
 * What Posthorn's other packages need from inside the engine. Not for applications: names and signatures here change
 * without notice, in any version. The architecture test lets no system and no example import it.
 */
export {
  listRecurring,
  pauseRecurring,
  resumeRecurring,
  runRecurring,
  type RecurringRun,
  type RecurringStatus,
  type ResumeRecurring,
  type RunRecurring,
  type SteeredRecurring,
} from './control/recurring.ts'
export { listHeldKeys, listPaused, pause, resume, type Paused } from './control/pause.ts'
export {
  cancel,
  countReplay,
  replay,
  unblock,
  signed,
  type Operator,
  type ReplayFilter,
} from './control/replay.ts'
export { groupDead } from './control/dead-groups.ts'
export {
  countDeadLetters,
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type LetterFilter,
  type LetterListOptions,
  type SetAsideMessage,
  type SetAsideState,
} from './consume/dead-letters.ts'
export { advanceClock, readClock, useMovableClock } from './database/clock.ts'
export { fromCursor, toCursor, isId } from './database/cursor.ts'
export { type TimeSort, directionOf } from './database/direction.sql.ts'
export { createBell, everyone } from './database/bell.ts'
export { Listener } from './database/listener.ts'
export { migrationSql, migrationStatus } from './database/migrate.ts'
export { run, withoutPreparing } from './database/pool-handle.ts'
export { prepare, type Prepared } from './database/prepared.ts'
export { inSavepoint } from './database/savepoint.ts'
export { isName, spell, spellTable, type TableName } from './database/sql-names.ts'
export { DATA_KEY_COLUMNS, selectKeys, toBase64, type DataKeyRow } from './encrypt/data-keys.sql.ts'
export { contextOf, dataKeysOf } from './encrypt/data-keys.ts'
export { decryptRows, tenantOf } from './encrypt/encrypt-rows.ts'
export { envelopeIn } from './encrypt/envelope.ts'
export { wakeAllRelays } from './enqueue/notifier.ts'
export { ERROR_CODES } from './errors.ts'
export { TRANSITIONS } from './maintain/maintenance.sql.ts'
export { Code, printValue } from './host/print-definition.ts'
export { maintain } from './maintain/maintenance.ts'
export {
  runPeriodically,
  startPeriodically,
  type PeriodicTask,
  type StepResult,
} from './maintain/periodic.ts'
export { prune } from './maintain/prune.ts'
export { takeSamples } from './maintain/sample.ts'
export { failedCondition, postponedCondition, selectStats } from './maintain/stats.sql.ts'
export { outboxStats, type AliveRelay, type OutboxStats } from './maintain/stats.ts'
export {
  METRICS,
  noMetrics,
  type Labels,
  type MetricCatalogue,
  type MetricName,
  type MetricsOf,
} from './metrics.ts'
export { ALERT_COLUMNS } from './outbox/alert.sql.ts'
export {
  alertOf,
  raiseAlert,
  recoverAlert,
  type Alert,
  type AlertRow,
  type AlertState,
} from './outbox/alert.ts'
export { literal, waitsCondition } from './outbox/clauses.sql.ts'
export { messageOf } from './outbox/message.ts'
export {
  type CheckedDefinition,
  countConnections,
  inSql,
  type ResolvedDefinition,
} from './outbox/resolved-definition.ts'
export { type OpenBreaker } from './relay/attempt/breaker.ts'
export { latencyBucket, percentile } from './relay/tally.ts'
export { fromLog, HAS_GONE, inLoggedState, loggedState } from './relay/log/log-view.sql.ts'
export { sleep } from './sleep.ts'
export { type BackOff, backOff } from './back-off.ts'
export { setUpTables, tablesOf } from './host/posthorn.ts'
export { type LabelPart, type State } from './outbox/definition.ts'
export { decryptBytes, encryptBytes } from './encrypt/master-keys.ts'
export { connectionGate } from './database/connection-gate.ts'
export { type NewRow } from './enqueue/enqueue.ts'
export { LineLimit } from './log.ts'
export { type Reference } from './outbox/outcome.ts'
export { type EndingPolicy, type EndlessPolicy } from './outbox/retry.ts'
export { listHazards } from './outbox/hazards.ts'
export { currentTraceparent, withConsumerSpans } from './outbox/trace.ts'
export { checkOut, lendTransaction } from './database/transaction.ts'
export { type DeliverOptions, type Subscription } from './outbox/transport.ts'
export { storableText, storableJson } from './storable.ts'
export { type ConsumedMessage, type DeadLetter, type Failed } from './consume/consumed-message.ts'
export { SetAsideStore, type ClaimedMessage } from './consume/set-aside-store.ts'
export { inboxId } from './inbox/inbox.ts'
export { Semaphore } from './semaphore.ts'

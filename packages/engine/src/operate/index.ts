export {
  acknowledgeAlert,
  listAlerts,
  openAlerts,
  raiseAlert,
  recoverAlert,
  type Alert,
} from './alerts.ts'
export { sealAudits } from './audit-seals.ts'
export { verifyAudits, type AuditFinding, type AuditVerification } from './audit-verification.ts'
export { searchAudit, type AuditEntry, type AuditOptions } from './audit.ts'
export { readBloat } from './bloat.ts'
export { ERROR_CODES, ERROR_CODE_ALIASES } from '../errors.ts'
export {
  METRICS,
  type Labels,
  type MetricCatalogue,
  type MetricName,
  type MetricsOf,
} from '../metrics.ts'
export { sleep } from '../sleep.ts'
export { wakeAllRelays } from '../enqueue/notifier.ts'
export { advanceClock, readClock, useMovableClock } from '../maintain/clock.ts'
export {
  readCharts,
  readDestinationCharts,
  readLagHistory,
  type ChartMark,
  type Charts,
  type ConsumerChart,
  type DestinationChart,
  type OutboxChart,
  type Stretches,
} from './charts.ts'
export { readConsumers, sampleLag, type ConsumerOverview } from './consumers.ts'
export { listHeldKeys, listPaused, pause, resume, type Paused } from './control.ts'
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
} from './dead-letters.ts'
export { getErasure, listErasures, requestErasure, type Erasure } from './erasures.ts'
export { type FeedBatch } from './feed-subscriber.ts'
export { createFeed, type Feed, type SubscribeOptions } from './feed.ts'
export {
  outboxGraph,
  transitionRates,
  type GraphEdge,
  type Move,
  type TransitionRates,
} from './graph.ts'
export { readHistory } from './history.ts'
export { readJourney, type JourneyStep } from './journey.ts'
export { listHolds, placeHold, releaseHold, type LegalHold } from './legal-holds.ts'
export { engineRetention } from '../maintain/engine-retention.ts'
export { continueErasures, type ErasureOptions, type Subject } from '../maintain/erasure.ts'
export { maintain } from '../maintain/maintenance.ts'
export {
  runPeriodically,
  startPeriodically,
  type PeriodicTask,
  type StepResult,
} from '../maintain/periodic.ts'
export { isId } from '../outbox/id-type.ts'
export {
  getMessage,
  listAllMessages,
  listMessages,
  type MessageDetails,
  type MessageListOptions,
  type MessageSummary,
  type Transition,
} from './messages.ts'
export { migrationSql, migrationStatus } from '../maintain/migrate.ts'
export { type AnnouncementItem } from './announcement-subscriber.ts'
export { announce, createAnnouncementFeed, type AnnouncementFeed } from './announcements.ts'
export { readOverview, type OutboxOverview, type Overview } from './overview.ts'
export {
  cancel,
  countReplay,
  groupDead,
  replay,
  unblock,
  type Operator,
  type ReplayFilter,
} from './replay.ts'
export {
  continueReplay,
  getReplay,
  listReplays,
  runReplay,
  startReplay,
  stopReplay,
  type ReplayRun,
  type ReplayRunOptions,
} from './replay-run.ts'
export {
  isPerOrganisation,
  readRetention,
  readRuns,
  setRetention,
  type RetentionStatus,
} from './retention.ts'
export {
  applyRetention,
  mergeCatalogues,
  type DataClass,
  type HoldableThing,
  type PruneContext,
  type RetentionCatalogue,
} from '../maintain/retention.ts'
export { type PersonalTable, type SubjectKind } from '../sql/erasure.ts'
export { type RetentionRule } from '../sql/retention.ts'
export { takeSamples } from '../maintain/sample.ts'
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
} from './recurring.ts'
export { outboxStats, type OutboxStats } from '../maintain/stats.ts'
export { countTenantMessages, type TenantCounts } from './tenant-counts.ts'
export {
  listMasters,
  rewrapDataKeys,
  rotateDataKey,
  shredTenant,
  type MasterUse,
  type Shredded,
} from './data-keys.ts'
export { type Encryption, type Reveal } from './payloads.ts'
export { viewMessage, type MessageView } from './view.ts'

export { acknowledgeAlert, listAlerts, openAlerts } from './overview/alerts.ts'
export {
  raiseAlert,
  recoverAlert,
  type Alert,
  ERROR_CODES,
  METRICS,
  type Labels,
  type MetricCatalogue,
  type MetricName,
  type MetricsOf,
  createBell,
  Listener,
  sleep,
  wakeAllRelays,
  advanceClock,
  readClock,
  useMovableClock,
  listHeldKeys,
  listPaused,
  pause,
  resume,
  type Paused,
  countDeadLetters,
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type LetterFilter,
  type LetterListOptions,
  type SetAsideMessage,
  type SetAsideState,
  maintain,
  runPeriodically,
  startPeriodically,
  type PeriodicTask,
  type StepResult,
  isId,
  migrationSql,
  migrationStatus,
  cancel,
  countReplay,
  groupDead,
  replay,
  unblock,
  type Operator,
  type ReplayFilter,
  takeSamples,
  listRecurring,
  pauseRecurring,
  resumeRecurring,
  runRecurring,
  type RecurringRun,
  type RecurringStatus,
  type ResumeRecurring,
  type RunRecurring,
  type SteeredRecurring,
  outboxStats,
  type OutboxStats,
} from '@posthorn/engine/internal'
export { sealAudits } from './audit/audit-verification.ts'
export {
  verifyAudits,
  type AuditFinding,
  type AuditVerification,
} from './audit/audit-verification.ts'
export { searchAudit, type AuditEntry, type AuditOptions } from './audit/audit.ts'
export { adoptTable } from './adopt/adopt-table.ts'
export { asyncApi } from './overview/async-api.ts'
export { readBloat } from './overview/overview.ts'
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
} from './overview/charts.ts'
export { readConsumers, sampleLag, type ConsumerOverview } from './overview/overview.ts'
export {
  getErasure,
  listErasures,
  requestErasure,
  type Erasure,
  continueErasures,
  type ErasureOptions,
  type Subject,
} from './retention/erasure.ts'
export { type FeedBatch } from './feed/feed-subscriber.ts'
export { createFeed, type Feed, type SubscribeOptions } from './feed/feed.ts'
export {
  outboxGraph,
  transitionRates,
  type GraphEdge,
  type Move,
  type TransitionRates,
} from './overview/graph.ts'
export { readHistory } from './overview/history.ts'
export { readJourney, type JourneyStep } from './messages/journey.ts'
export { listHolds, placeHold, releaseHold, type LegalHold } from './retention/legal-holds.ts'
export { engineRetention } from './retention/engine-retention.ts'
export {
  getMessage,
  listAllMessages,
  listMessages,
  type MessageDetails,
  type MessageListOptions,
  type MessageSummary,
  type Transition,
} from './messages/messages.ts'
export {
  type AnnouncementItem,
  announce,
  createAnnouncementFeed,
  type AnnouncementFeed,
} from './feed/announcements.ts'
export { readOverview, type OutboxOverview, type Overview } from './overview/overview.ts'
export {
  continueReplay,
  getReplay,
  listReplays,
  runReplay,
  startReplay,
  stopReplay,
  type ReplayRun,
  type ReplayRunOptions,
} from './messages/replay-run.ts'
export {
  isPerOrganisation,
  readRetention,
  readRuns,
  setRetention,
  type RetentionStatus,
} from './retention/retention.ts'
export {
  applyRetention,
  mergeCatalogues,
  type DataClass,
  type HoldableThing,
  type PruneContext,
  type RetentionCatalogue,
} from './retention/apply-retention.ts'
export { type PersonalTable, type SubjectKind } from './retention/erasure.sql.ts'
export { type RetentionRule } from './retention/retention.sql.ts'
export { countTenantMessages, type TenantCounts } from './overview/overview.ts'
export {
  listMasters,
  rewrapDataKeys,
  rotateDataKey,
  shredTenant,
  type MasterUse,
  type Shredded,
} from './retention/data-keys.ts'
export { type Encryption, type Reveal } from './messages/payloads.ts'
export { viewMessage, type MessageView } from './messages/payloads.ts'

export { acknowledgeAlert, listAlerts, openAlerts } from './overview/alerts.ts'
export {
  raiseAlert,
  recoverAlert,
  type Alert,
  wakeAllRelays,
  advanceClock,
  readClock,
  useMovableClock,
  listHeldKeys,
  listPaused,
  pause,
  resume,
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type SetAsideMessage,
  maintain,
  runPeriodically,
  startPeriodically,
  type PeriodicTask,
  migrationSql,
  migrationStatus,
  cancel,
  countReplay,
  replay,
  unblock,
  type ReplayFilter,
  listRecurring,
  pauseRecurring,
  resumeRecurring,
  runRecurring,
  type RecurringStatus,
  outboxStats,
  type OutboxStats,
} from '@posthorn/engine/internal'
export { sealAudits, verifyAudits } from './audit/audit-verification.ts'
export { searchAudit, type AuditEntry } from './audit/audit.ts'
export { getErasure, requestErasure, type Erasure, continueErasures } from './retention/erasure.ts'
export { createFeed, type Feed } from './feed/feed.ts'
export { readJourney, type Journey } from './messages/journey.ts'
export { listHolds, placeHold, releaseHold, type LegalHold } from './retention/legal-holds.ts'
export {
  getMessage,
  listMessages,
  type MessageDetails,
  type MessageSummary,
} from './messages/messages.ts'
export { announce, createAnnouncementFeed } from './feed/announcements.ts'
export { runReplay, startReplay, stopReplay, type ReplayRun } from './messages/replay-run.ts'
export { readRetention, setRetention } from './retention/retention.ts'
export {
  applyRetention,
  mergeCatalogues,
  type DataClass,
  type RetentionCatalogue,
} from './retention/apply-retention.ts'
export { type PersonalTable } from './retention/erasure.sql.ts'
export { type RetentionRule } from './retention/retention.sql.ts'
export { listMasters, rewrapDataKeys, rotateDataKey, shredTenant } from './retention/data-keys.ts'
export { viewMessage } from './messages/payloads.ts'

/*
 * What Posthorn's own server and command need from inside. Not for applications: names and signatures here change
 * without notice, in any version. The architecture test lets no system and no example import it.
 */
export { type AuditFinding } from './audit/audit-verification.ts'
export { type AuditOptions } from './audit/audit.ts'
export { adoptTable } from './adopt/adopt-table.ts'
export { asyncApi } from './overview/async-api.ts'
export {
  readBloat,
  readConsumers,
  sampleLag,
  type ConsumerOverview,
  readOverview,
  type OutboxOverview,
  type Overview,
  countTenantMessages,
  type TenantCounts,
} from './overview/overview.ts'
export {
  readCharts,
  readLagHistory,
  type Charts,
  type Stretches,
  readDestinationCharts,
} from './overview/charts.ts'
export { countErasure, listErasures, namesPerson, type Subject } from './retention/erasure.ts'
export { type FeedBatch } from './feed/feed-subscriber.ts'
export { type SubscribeOptions } from './feed/feed.ts'
export {
  outboxGraph,
  transitionRates,
  type GraphEdge,
  type Move,
  type TransitionRates,
} from './overview/graph.ts'
export { readHistory } from './overview/history.ts'
export { type JourneyStep } from './messages/journey.ts'
export { engineRetention } from './retention/engine-retention.ts'
export { listAllMessages, type MessageListOptions, type Transition } from './messages/messages.ts'
export { type AnnouncementItem, type AnnouncementFeed } from './feed/announcements.ts'
export {
  continueReplay,
  getReplay,
  listReplays,
  type ReplayRunOptions,
} from './messages/replay-run.ts'
export { isPerOrganisation, readRuns, type RetentionStatus } from './retention/retention.ts'
export { type SubjectKind } from './retention/erasure.sql.ts'
export { type MessageView } from './messages/payloads.ts'
export { explainMessages } from './messages/explain.ts'

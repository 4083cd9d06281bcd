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
  type IdempotencyStore,
  type KeyClaim,
  type KeyOutcome,
  type KeyedRequest,
  type StoredResponse,
} from './idempotency.ts'
export { aroundAll, type Answered } from './around-all.ts'
export { handleOnce, onceAll } from './inbox-batch.ts'
export { pruneInbox } from './inbox-prune.ts'
export { around, defineInbox, inboxTableSql, once, type Inbox } from './inbox.ts'
export { withConsumerSpan } from '../outbox/trace.ts'

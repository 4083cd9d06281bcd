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
export { pruneInbox } from './inbox-prune.ts'
export { around, defineInbox, inboxTableSql, once, type Inbox, type Receipt } from './inbox.ts'

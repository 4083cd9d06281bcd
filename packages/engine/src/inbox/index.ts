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
export { type ConsumedMessage, type DeadLetter, type Failed } from '../consume/consumed-message.ts'
export { SetAsideStore, type ClaimedMessage } from '../consume/set-aside-store.ts'
export { aroundAll, type Answered, type AroundAll } from './around-all.ts'
export { handleOnce, type HandleOnce, onceAll, type OnceAll, type Receipts } from './inbox-batch.ts'
export { pruneInbox } from './inbox-prune.ts'
export {
  around,
  defineInbox,
  inboxId,
  inboxTableSql,
  once,
  type Inbox,
  type Receipt,
} from './inbox.ts'
export { withConsumerSpan, withConsumerSpans } from '../outbox/trace.ts'

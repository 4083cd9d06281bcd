import type { Filter } from '../filters/filter.ts'
import { retryResource, type RetryPolicy } from './retry.ts'

/** What signs the requests: a shared secret, or a key pair whose public key the merchant has. */
export type Signing = 'hmac' | 'ed25519'

/** An endpoint as it stands in its table. */
export interface Endpoint {
  readonly id: string
  readonly org_id: string
  /** With a mask for each value of its query. */
  readonly url: string
  readonly url_query: string | null
  readonly event_types: readonly string[]
  readonly ordered: boolean
  readonly retry_waits: readonly number[] | null
  readonly retry_attempts: number | null
  readonly timeout_ms: number | null
  readonly rate_per_second: number | null
  readonly signing: Signing
  readonly filter: Filter | null
  readonly failing_since: Date | null
  /** Those whose signatures are sent now, newest first. */
  readonly public_keys: readonly string[]
  readonly status: 'enabled' | 'disabled'
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** What an event needs to know of an endpoint to be written down for it. */
export type Subscribed = Pick<Endpoint, 'id' | 'ordered' | 'status' | 'retry_attempts' | 'filter'>

/** What the API shows of it. */
export function endpointResource(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    eventTypes: [...endpoint.event_types],
    ordered: endpoint.ordered,
    retry: retryResource(retryOf(endpoint)),
    timeoutMs: endpoint.timeout_ms,
    ratePerSecond: endpoint.rate_per_second,
    signing: endpoint.signing,
    publicKeys: [...endpoint.public_keys],
    filter: endpoint.filter,
    failingSince: endpoint.failing_since?.toISOString() ?? null,
    status: endpoint.status,
    disabledAt: endpoint.disabled_at?.toISOString() ?? null,
    disabledReason: endpoint.disabled_reason,
    createdAt: endpoint.created_at.toISOString(),
    updatedAt: endpoint.updated_at.toISOString(),
  }
}

/** Its own policy; null if it has none. */
export function retryOf({
  retry_waits: waits,
  retry_attempts: attempts,
}: Pick<Endpoint, 'retry_waits' | 'retry_attempts'>): RetryPolicy | null {
  return waits === null || attempts === null ? null : { waits, attempts }
}

/** The filters that take an event: `payment.card.expired` is of `payment.card.*`, `payment.*`, `*`. */
export function filtersFor(eventType: string): string[] {
  const words = eventType.split('.')
  const prefixes = words.slice(0, -1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`)
  return ['*', eventType, ...prefixes]
}

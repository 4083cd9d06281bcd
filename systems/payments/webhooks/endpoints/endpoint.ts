import { NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { Filter } from '../filters/filter.ts'
import { RetryResource, retryResource, type RetryPolicy } from './retry.ts'

const Time = time({ format: 'date-time' })

/** What signs the requests: a shared secret, or a key pair whose public key the merchant has. */
export const Signing = Type.Union([Type.Literal('hmac'), Type.Literal('ed25519')], {
  description:
    '`hmac`: a shared secret. `ed25519`: a key pair; you get the public key, and signatures start with `v1a`',
})
export type Signing = Static<typeof Signing>

/** What the API shows of an endpoint. */
export const EndpointResource = Type.Object({
  id: Type.String(),
  url: Type.String(),
  eventTypes: Type.Array(Type.String()),
  ordered: Type.Boolean(),
  retry: RetryResource,
  timeoutMs: nullable(Type.Integer()),
  ratePerSecond: nullable(Type.Integer()),
  signing: Signing,
  publicKeys: Type.Array(Type.String(), {
    description:
      'Public keys (`whpk_…`) of the key pairs that sign now, newest first; empty for `hmac`',
  }),
  filter: nullable(Filter),
  failingSince: nullable(Time, {
    description:
      'Since when every attempt has failed; null if the last one succeeded. After days of failures the endpoint is disabled',
  }),
  status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
  disabledAt: nullable(Time),
  disabledReason: NullableText,
  createdAt: Time,
  updatedAt: Time,
})

/** An endpoint as it stands in its table; its URL has a mask for each value of its query. */
export interface Endpoint extends RowOf<typeof EndpointResource, 'retry'> {
  readonly org_id: string
  readonly url_query: string | null
  readonly retry_waits: readonly number[] | null
  readonly retry_attempts: number | null
}

export const endpointResource = resource(EndpointResource, {
  retry: (endpoint: Endpoint) => retryResource(retryOf(endpoint)),
})

/** What an event needs to know of an endpoint to be written down for it. */
export type Subscribed = Pick<Endpoint, 'id' | 'ordered' | 'status' | 'retry_attempts' | 'filter'>

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

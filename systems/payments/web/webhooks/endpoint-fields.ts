import { formatDuration } from '@posthorn/dashboard/kit'
import type { Filter } from './filter-editor.tsx'
import type { Endpoint } from './webhook.ts'

export type Retry = { preset: 'quick' | 'hours' | 'days' } | { waits: number[]; attempts: number }

/** What the form of an endpoint holds. */
export interface EndpointFields {
  readonly url: string
  readonly eventTypes: string[]
  readonly ordered: boolean
  readonly retry: Retry
  readonly timeoutMs: number | null
  readonly ratePerSecond: number | null
  readonly signing: Endpoint['signing']
  readonly filter: Filter | null
}

export const DEFAULTS: EndpointFields = {
  url: '',
  eventTypes: ['*'],
  ordered: false,
  retry: { preset: 'quick' },
  timeoutMs: null,
  ratePerSecond: null,
  signing: 'hmac',
  filter: null,
}

export function fieldsOf(endpoint: Endpoint): EndpointFields {
  const { url, eventTypes, ordered, timeoutMs, ratePerSecond, signing, filter } = endpoint
  const { preset, waits, attempts } = endpoint.retry
  return {
    ...{ url, eventTypes, ordered, timeoutMs, ratePerSecond, signing, filter },
    retry: preset === null ? { waits, attempts } : { preset },
  }
}

/** What the API takes: the same for a new endpoint and a changed one, but for what signs. */
export function bodyOf(fields: EndpointFields) {
  const { url, eventTypes, ordered, retry, timeoutMs, ratePerSecond, filter } = fields
  return { url, eventTypes, ordered, retry, timeoutMs, ratePerSecond, filter }
}

/** `5 attempts, after 2 s, 4 s, 8 s, 16 s`. */
export function sentenceOfRetry({ waits, attempts }: Endpoint['retry']): string {
  if (attempts === 1) return '1 attempt'
  const shown = waits
    .slice(0, attempts - 1)
    .map((seconds) => (seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000)))
  const last = attempts - 1 > waits.length ? `, then every ${shown.at(-1)}` : ''
  return `${attempts} attempts, after ${shown.join(', ')}${last}`
}

import { uuid, wasTried, type ErrorCode, type Outcome } from '@posthorn/engine'
import { PageQuery, sortable } from '@posthorn/http'
import { NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import type { Answered } from '@posthorn/transports/webhook'
import { Type } from 'typebox'
import { maskUrl } from '../endpoints/sealed.ts'

const Time = time({ format: 'date-time' })
const Headers = Type.Record(Type.String(), Type.String())

const DeliveryStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('failed'),
  Type.Literal('delivered'),
  Type.Literal('abandoned'),
  Type.Literal('skipped_disabled'),
])

export const DeliveryResource = Type.Object({
  id: Type.String(),
  endpointId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  nextAttemptAt: nullable(Time),
  error: NullableText,
  errorCode: NullableText,
  payload: Type.Unknown({ description: 'Body of the webhook' }),
  createdAt: Time,
  deliveredAt: nullable(Time),
})

/** What each run of retries did for one merchant. */
export const RunResource = Type.Object({
  id: Type.String(),
  processed: Type.Integer(),
  success: Type.Integer(),
  failed: Type.Integer(),
  ranAt: Time,
})

export const runResource = resource(RunResource)

export const DELIVERY_SORTS = sortable(['-createdAt', 'createdAt'])

/** What a search for deliveries asks for. */
export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  sort: DELIVERY_SORTS.parameter,
  status: Type.Optional(DeliveryStatus),
  endpointId: Type.Optional(Type.String({ format: 'uuid' })),
  eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  eventType: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  since: Type.Optional(Time),
  until: Type.Optional(Time),
})

/** The body of a webhook. */
export interface WebhookPayload {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: unknown
}

/** A delivery as it stands in its table: one event on its way to one endpoint. */
export interface WebhookDelivery extends RowOf<
  typeof DeliveryResource,
  'nextAttemptAt' | 'payload'
> {
  readonly org_id: string
  /** What orders it among the endpoint's; null where nothing does. */
  readonly order_key: string | null
  readonly payload: WebhookPayload
  /** What is sent where that is not the payload written anew. */
  readonly body: string | null
  /** Attempts in all, by its endpoint's policy; null where it has none of its own. */
  readonly max_attempts: number | null
  readonly next_attempt_at: Date
  readonly traceparent: string | null
}

export const deliveryResource = resource(DeliveryResource, {
  nextAttemptAt: ({ status, next_attempt_at: at }: WebhookDelivery) =>
    status === 'pending' || status === 'failed' ? at.toISOString() : null,
})

export const AttemptResource = Type.Object({
  id: Type.String(),
  attempt: Type.Integer(),
  startedAt: Time,
  durationMs: nullable(Type.Integer()),
  request: Type.Object({
    method: Type.String(),
    url: NullableText,
    headers: Headers,
    body: Type.Unknown(),
  }),
  response: nullable(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: Type.String({ description: 'First 16 KiB of the body' }),
      encoding: Type.String({ description: '`utf8`, or `base64` for binary content' }),
      truncated: Type.Boolean(),
    }),
  ),
  errorClass: NullableText,
  error: NullableText,
})

/** An attempt with what it sent. */
export interface AttemptRow extends RowOf<
  typeof AttemptResource,
  'attempt' | 'request' | 'response'
> {
  readonly attempt_no: number
  readonly request_url: string | null
  readonly request_headers: Record<string, string> | null
  readonly response_status: number | null
  readonly response_headers: Record<string, string> | null
  readonly response_body: string | null
  readonly response_encoding: string | null
  readonly response_truncated: boolean | null
  readonly payload: WebhookPayload
}

export const attemptResource = resource(AttemptResource, {
  attempt: (row: AttemptRow) => row.attempt_no,
  request: ({ request_url: url, request_headers: headers, payload: body }) => {
    return { method: 'POST', url, headers: headers ?? {}, body }
  },
  response: ({ response_status: status, ...row }) =>
    status === null
      ? null
      : {
          status,
          headers: row.response_headers ?? {},
          body: row.response_body ?? '',
          encoding: row.response_encoding ?? 'utf8',
          truncated: row.response_truncated ?? false,
        },
})

/** A request and its answer as they are kept. */
export interface Attempt {
  readonly id: string
  readonly deliveryId: string
  readonly attemptNo: number
  readonly startedAt: string | null
  /** With a mask for each value of its query. */
  readonly url: string | null
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly body: string | null
  readonly encoding: string | null
  readonly truncated: boolean | null
  readonly durationMs: number | null
  readonly errorClass: string | null
  readonly error: string | null
}

/** The engine's codes for attempts of which no request is known. */
const REQUEST_UNKNOWN = new Set<string>(['CLAIM_EXPIRED', 'TRANSPORT_BROKEN'] satisfies ErrorCode[])

/** Whether an outcome is that of a request: only these count, and only these are on record. */
export function isTried(outcome: Outcome): boolean {
  if (outcome.kind === 'delivered') return true
  return wasTried(outcome) && !REQUEST_UNKNOWN.has(outcome.failure.code)
}

export function attemptOf(
  outcome: Outcome,
  { deliveryId, attemptNo }: { deliveryId: string; attemptNo: number },
): Attempt {
  const { exchange } = outcome as Answered
  const { response, error } = exchange ?? {}
  const failure = outcome.kind === 'delivered' ? undefined : outcome.failure
  const errorClass = error?.class ?? classIn(failure?.code)
  return {
    ...{ id: uuid(), deliveryId, attemptNo },
    startedAt: exchange?.startedAt.toISOString() ?? null,
    url: exchange === undefined ? null : maskUrl(exchange.url),
    requestHeaders: exchange?.headers ?? null,
    status: response?.status ?? null,
    responseHeaders: response?.headers ?? null,
    body: response?.body ?? null,
    encoding: response?.encoding ?? null,
    truncated: response?.truncated ?? null,
    durationMs: exchange?.durationMs ?? null,
    errorClass: errorClass ?? null,
    error: failure?.message ?? null,
  }
}

/** `WEBHOOK_STATUS` is of the class `status`. */
function classIn(code: string | undefined): string | undefined {
  return code?.startsWith('WEBHOOK_') ? code.slice('WEBHOOK_'.length).toLowerCase() : code
}

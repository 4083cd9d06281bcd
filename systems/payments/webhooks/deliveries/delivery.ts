/** A delivery as it stands in its table: one event on its way to one endpoint. */
export interface WebhookDelivery {
  id: string
  org_id: string
  endpoint_id: string
  event_id: string
  event_type: string
  /** What orders it among the endpoint's; null where nothing does. */
  order_key: string | null
  payload: WebhookPayload
  /** What is sent where that is not the payload written anew. */
  body: string | null
  status: 'pending' | 'failed' | 'delivered' | 'abandoned' | 'skipped_disabled'
  attempts: number
  /** Attempts in all, by its endpoint's policy; null where it has none of its own. */
  max_attempts: number | null
  next_attempt_at: Date
  error: string | null
  error_code: string | null
  traceparent: string | null
  created_at: Date
  delivered_at: Date | null
}

/** The body of a webhook. */
export interface WebhookPayload {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly data: unknown
}

export function deliveryResource(delivery: WebhookDelivery) {
  const waits = delivery.status === 'pending' || delivery.status === 'failed'
  return {
    id: delivery.id,
    endpointId: delivery.endpoint_id,
    eventId: delivery.event_id,
    eventType: delivery.event_type,
    status: delivery.status,
    attempts: delivery.attempts,
    nextAttemptAt: waits ? delivery.next_attempt_at.toISOString() : null,
    error: delivery.error,
    errorCode: delivery.error_code,
    payload: delivery.payload,
    createdAt: delivery.created_at.toISOString(),
    deliveredAt: delivery.delivered_at?.toISOString() ?? null,
  }
}

/** An attempt as the API shows it. */
export interface AttemptRow {
  readonly id: string
  readonly attempt_no: number
  readonly state: 'open' | 'answered' | 'settled'
  readonly request_url: string | null
  readonly request_headers: Record<string, string> | null
  readonly response_status: number | null
  readonly response_headers: Record<string, string> | null
  readonly response_body: string | null
  readonly response_encoding: string | null
  readonly response_truncated: boolean | null
  readonly duration_ms: number | null
  readonly error_class: string | null
  readonly error: string | null
  readonly started_at: Date
}

export function attemptResource(attempt: AttemptRow, payload: WebhookPayload) {
  const { response_status: status } = attempt
  return {
    id: attempt.id,
    attempt: attempt.attempt_no,
    startedAt: attempt.started_at.toISOString(),
    durationMs: attempt.duration_ms,
    underWay: attempt.state === 'open',
    request: {
      method: 'POST',
      url: attempt.request_url,
      headers: attempt.request_headers ?? {},
      body: payload,
    },
    response:
      status === null
        ? null
        : {
            status,
            headers: attempt.response_headers ?? {},
            body: attempt.response_body ?? '',
            encoding: attempt.response_encoding ?? 'utf8',
            truncated: attempt.response_truncated ?? false,
          },
    errorClass: attempt.error_class,
    error: attempt.error,
  }
}

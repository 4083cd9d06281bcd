/** How an endpoint is doing, by everything that went to it in the last days. */
export interface EndpointHealth {
  readonly endpoint_id: string
  readonly delivered: number
  /** Attempts, the last ones of deliveries among them. */
  readonly failed: number
  readonly waiting: number
  readonly failing: number
  readonly abandoned: number
  readonly skipped: number
  readonly filtered: number
  readonly last_delivered_at: Date | null
  readonly last_failed_id: string | null
  readonly last_error: string | null
  readonly last_error_code: string | null
  readonly breaker_open: boolean
}

export function healthResource(health: EndpointHealth) {
  const { delivered, failed, waiting, failing, abandoned, skipped, filtered } = health
  const finished = delivered + failing + abandoned
  return {
    endpointId: health.endpoint_id,
    ...{ delivered, waiting, failing, abandoned, skipped, filtered },
    failedAttempts: failed,
    successRate: finished === 0 ? null : delivered / finished,
    lastDeliveredAt: health.last_delivered_at?.toISOString() ?? null,
    lastFailure:
      health.last_failed_id === null
        ? null
        : {
            deliveryId: health.last_failed_id,
            code: health.last_error_code,
            error: health.last_error,
          },
    breakerOpen: health.breaker_open,
  }
}

/** An endpoint as it stands in its table. */
export interface Endpoint {
  readonly id: string
  readonly org_id: string
  readonly url: string
  readonly event_types: readonly string[]
  readonly ordered: boolean
  readonly status: 'enabled' | 'disabled'
  readonly disabled_at: Date | null
  readonly disabled_reason: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** What the API shows of it. */
export function endpointResource(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    eventTypes: [...endpoint.event_types],
    ordered: endpoint.ordered,
    status: endpoint.status,
    disabledAt: endpoint.disabled_at?.toISOString() ?? null,
    disabledReason: endpoint.disabled_reason,
    createdAt: endpoint.created_at.toISOString(),
    updatedAt: endpoint.updated_at.toISOString(),
  }
}

/** The filters that take an event: `payment.card.expired` is of `payment.card.*`, `payment.*`, `*`. */
export function filtersFor(eventType: string): string[] {
  const words = eventType.split('.')
  const prefixes = words.slice(0, -1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`)
  return ['*', eventType, ...prefixes]
}

/** The envelope every transport carries; the same fields on Kafka, RabbitMQ, HTTP and Postgres topics. */
export interface Message<Payload = unknown> {
  /** UUIDv7; the same for every attempt, so that the consumer's inbox can recognise a repeat. */
  readonly id: string
  /** What happened, e.g. `FamilyHub.Families.FamilyCreatedEvent`. */
  readonly type: string
  /** Version of the payload's shape; upcasters raise it. */
  readonly version: number
  /** Messages with one key belong together: same partition, same order. */
  readonly key: string | undefined
  readonly tenant: string | undefined
  readonly occurredAt: Date
  /** W3C trace context of the transaction that wrote the message. */
  readonly traceparent: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Payload
}

/** What `message(row)` returns: only id, type and payload have no default. */
export type MessageInit<Payload = unknown> = Pick<Message<Payload>, 'id' | 'type' | 'payload'> &
  Partial<Message<Payload>>

/** Fills in the envelope's defaults. */
export function toMessage<Payload>(init: MessageInit<Payload>): Message<Payload> {
  return {
    id: init.id,
    type: init.type,
    version: init.version ?? 1,
    key: init.key,
    tenant: init.tenant,
    occurredAt: init.occurredAt ?? timeOfUuid(init.id) ?? new Date(0),
    traceparent: init.traceparent,
    headers: init.headers ?? {},
    payload: init.payload,
  }
}

/**
 * The message of a row. Where `message(row)` leaves the key out in an ordered outbox, it is the
 * order's column: without it a transport would not know what belongs together.
 */
export function messageOf<Row>(
  outbox: { message(row: Row): MessageInit; readonly order: { readonly key: string } | undefined },
  row: Row,
): MessageInit {
  const init = outbox.message(row)
  if (!outbox.order || init.key !== undefined) return init
  return { ...init, key: String((row as Record<string, unknown>)[outbox.order.key]) }
}

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/i

/** The moment inside a UUIDv7; undefined for ids of other kinds. */
export function timeOfUuid(id: string): Date | undefined {
  if (!UUID_7.test(id)) return undefined
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

import { DefinitionError } from '../errors.ts'

/** What an outbox is ordered by: the key that each `enqueue` names, or a property of the payload. */
export type OrderedBy<Events extends object> = 'key' | `payload.${PayloadProperty<Events>}`

/** A property that the payload of every type has; any, where payloads have no types. */
type PayloadProperty<Events extends object> = unknown extends Events[keyof Events]
  ? string
  : keyof Events[keyof Events] & string

/** Whether a text says what to order by: `key`, or `payload.` and the properties on the way. */
export function isOrderedBy(text: unknown): boolean {
  return typeof text === 'string' && /^(key|payload(\.[\w-]{1,63})+)$/.test(text)
}

/** The key of a message, as the outbox's order says; what it may be without one is the caller's. */
export function keyOf(
  name: string,
  order: string | undefined,
  { type, payload, key }: { type: string; payload: unknown; key?: string | undefined },
): string | undefined {
  if (order === undefined) return key
  if (order === 'key') {
    if (typeof key === 'string' && key !== '') return key
    const form = `enqueue(tx, '${type}', payload, { key: '7' })`
    throw new DefinitionError(name, 'key', `${type} needs one, as text: ${form}`)
  }
  if (key !== undefined) {
    throw new DefinitionError(name, 'key', `must be left out: the order is by ${order}`)
  }
  const found = valueAt(payload, order.split('.').slice(1))
  if ((typeof found === 'string' && found !== '') || typeof found === 'number') return String(found)
  throw new DefinitionError(name, order, `${type} needs it, as text or a number`)
}

function valueAt(payload: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, property) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string, unknown>)[property]
        : undefined,
    payload,
  )
}

/** One server-sent event. */
export interface StreamEvent {
  /** What the client sends back as `Last-Event-ID`. */
  readonly id?: string
  /** Default `message`. */
  readonly event?: string
  /** Any JSON value; a string is sent as it is. */
  readonly data: unknown
}

/** The text of an event. Line breaks can end neither a field nor the event early. */
export function encodeEvent({ id, event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${field('id', id)}${field('event', event)}${lines.join('')}\n`
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value.replaceAll(/[\r\n\0]/g, '')}\n`
}

/** One server-sent event as it was read. */
export interface ReadEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: Record<string, unknown>
}

export interface EventReader {
  readonly status: number
  readonly events: readonly ReadEvent[]
  lastId(): string | undefined
  /** Resolves when the server has ended the stream. */
  readonly over: Promise<void>
  close(): Promise<void>
}

/** Reads a stream by fetch, as the dashboard does. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
): Promise<EventReader> {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const events: ReadEvent[] = []
  const over = response.body ? collect(response.body, events) : Promise.resolve()
  return {
    status: response.status,
    events,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id,
    over,
    async close() {
      stop.abort()
      await over
    },
  }
}

async function collect(body: ReadableStream<Uint8Array>, events: ReadEvent[]): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of body) {
      rest += decoder.decode(chunk, { stream: true })
      const parts = rest.split('\n\n')
      rest = parts.pop() ?? ''
      events.push(...parts.flatMap(eventIn))
    }
  } catch {
    // Closed by the reader, or broken by the server: either way it is over.
  }
}

function eventIn(text: string): ReadEvent[] {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name) fields.set(name, value)
  }
  const data = fields.get('data')
  if (data === undefined) return []
  const parsed = JSON.parse(data) as Record<string, unknown>
  return [{ id: fields.get('id'), event: fields.get('event') ?? 'message', data: parsed }]
}

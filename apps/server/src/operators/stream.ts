import type { FeedBatch, AnnouncementItem, SubscribeOptions } from '@posthorn/operate/internal'
import { lastEventId, sendEvents, type App, type StreamEvent } from '@posthorn/http'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { entryOf } from './audit.ts'
import { OutboxName, scopeOf } from './outboxes/outbox-registry.ts'

const schema = {
  summary: 'Changes of messages as server-sent events',
  description:
    'Events `transition` and `operation` have the fields of the audit; `position` comes when there is nothing new. ' +
    'The last event of a batch has an id: send it as Last-Event-ID to continue from there without gaps. ' +
    'Events `announcement` have `{topic, id, tenant, data, truncated}`: the latest announcement of each object of a system, ' +
    'at most every 250 ms, without an id and never repeated. The topic `*` means that some may be missing. ' +
    'Members and operators of an organisation see its events, operators of the platform see all.',
  tags: ['audit'],
  querystring: Type.Object({
    outbox: Type.Optional(OutboxName),
    topics: Type.Optional(
      Type.String({
        description: 'Topics of announcements, separated by commas; default: all',
        pattern: '^[a-z][a-z0-9.-]{0,99}(,[a-z][a-z0-9.-]{0,99}){0,49}$',
      }),
    ),
  }),
  produces: ['text/event-stream'],
}

export function streamRoutes(app: App, { feed, announcements }: OperatorParts): void {
  app.get('/api/v1/stream', { schema }, async (request, reply) => {
    const after = lastEventId(request)
    const { outbox, topics } = request.query
    const shown = scopeOf(request)
    const wanted: SubscribeOptions = {
      ...shown,
      ...(after !== undefined && { after }),
      ...(outbox !== undefined && { outboxes: [outbox] }),
    }
    // Subscribed before the answer begins: a position that is none is still a 400.
    const stop = new AbortController()
    const { signal: stopped } = stop
    const batches = feed.subscribe({ ...wanted, signal: stopped })
    const filter = { ...shown, ...(topics !== undefined && { topics: topics.split(',') }) }
    const announced = announcements.subscribe({ ...filter, signal: stopped })
    await sendEvents(reply, {
      events: (signal) => {
        signal.addEventListener('abort', () => stop.abort(), { once: true })
        return mergeStreams([eventsOf(batches), announcementsOf(announced)])
      },
    })
  })
}

async function* eventsOf(batches: AsyncIterable<FeedBatch>): AsyncGenerator<StreamEvent[]> {
  for await (const { entries, position } of batches) {
    if (entries.length === 0) yield [{ event: 'position', data: {}, id: position }]
    else
      yield entries.map((entry, i) => ({
        event: entry.kind,
        data: entryOf(entry),
        // Only a whole batch is a place to go on from: what is sent of it comes again otherwise.
        ...(i === entries.length - 1 && { id: position }),
      }))
  }
}

/** Without an id: announcements are not resumed, and must not hide where the transitions are. */
async function* announcementsOf(
  batches: AsyncIterable<readonly AnnouncementItem[]>,
): AsyncGenerator<StreamEvent[]> {
  for await (const items of batches) {
    yield items.map(({ topic, id, tenant = null, data = null, truncated = false }) => ({
      event: 'announcement',
      data: { topic, id, tenant, data, truncated },
    }))
  }
}

/**
 * What several sources yield, as it comes: each is asked for the next when its last was taken. Ends
 * with the first of them that ends or breaks. A race of promises would do, and leak: every race
 * leaves something behind on the source that stays silent.
 */
export async function* mergeStreams<Item>(
  sources: readonly AsyncIterable<Item>[],
): AsyncGenerator<Item> {
  const arrived: Arrival<Item>[] = []
  let wake: () => void = () => undefined
  const ask = async (iterator: AsyncIterator<Item>) => {
    const arrival = await iterator.next().then(
      (result) => ({ iterator, result }),
      (error: unknown) => ({ iterator, error }),
    )
    arrived.push(arrival)
    wake()
  }
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  iterators.forEach((iterator) => void ask(iterator))
  try {
    for (;;) {
      const arrival = arrived.shift()
      if (!arrival) await new Promise<void>((resolve) => (wake = resolve))
      else if ('error' in arrival) throw arrival.error
      else if (arrival.result.done) return
      else {
        yield arrival.result.value
        void ask(arrival.iterator)
      }
    }
  } finally {
    // Not waited for: a source that sleeps hears of it only when its signal wakes it.
    iterators.forEach((iterator) => void iterator.return?.().catch(() => undefined))
  }
}

type Arrival<Item> =
  | { readonly iterator: AsyncIterator<Item>; readonly result: IteratorResult<Item> }
  | { readonly iterator: AsyncIterator<Item>; readonly error: unknown }

import type { Feed, FeedBatch, SubscribeOptions } from '@posthorn/engine'
import type { App, Caller, StreamEvent } from '@posthorn/http'
import { callerOf, lastEventId, sendEvents } from '@posthorn/http'
import { Type } from 'typebox'
import { entryOf } from './audit.ts'
import { OutboxName } from './registered.ts'

const schema = {
  summary: 'What happens to messages, as it happens: server-sent events',
  description:
    'Events `transition` and `operation` with the fields of the audit, and `position` where there ' +
    'is nothing to tell. The last event of a batch has an id; sent back as Last-Event-ID it goes on ' +
    "from there, and nothing is missed. Members see their own organisation's transitions, operators " +
    'everything.',
  tags: ['audit'],
  querystring: Type.Object({ outbox: Type.Optional(OutboxName) }),
  produces: ['text/event-stream'],
}

export function streamRoutes(app: App, feed: Feed): void {
  app.get('/api/v1/stream', { schema }, async (request, reply) => {
    const after = lastEventId(request)
    const { outbox } = request.query
    const wanted: SubscribeOptions = {
      ...shownTo(callerOf(request)),
      ...(after !== undefined && { after }),
      ...(outbox !== undefined && { outboxes: [outbox] }),
    }
    // Subscribed before the answer begins: a position that is none is still a 400.
    const stop = new AbortController()
    const batches = feed.subscribe({ ...wanted, signal: stop.signal })
    await sendEvents(reply, {
      events: (signal) => {
        signal.addEventListener('abort', () => stop.abort(), { once: true })
        return eventsOf(batches)
      },
    })
  })
}

/** Operators see everything; everybody else what belongs to their organisation. */
function shownTo({ role, org }: Caller): Pick<SubscribeOptions, 'tenant'> {
  return role === 'operator' ? {} : { tenant: org }
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

import { callerOf, may, type App } from '@posthorn/http'
import type { Outbox } from '@posthorn/engine'
import { getMessage, type MessageDetails } from '@posthorn/operate'
import { explainMessages } from '@posthorn/operate/internal'
import { nullable, type Follow, type Stop } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { outboxNamed } from './outboxes/outbox-registry.ts'

const Thing = Type.Object({
  kind: Type.String({
    description:
      'Type of the object: order, saga, payment, webhook, statement line, message, file row …',
  }),
  id: Type.String(),
  title: Type.String(),
  detail: Type.String(),
  why: nullable(Type.String(), {
    description:
      'Why the object waits now; null if it does not wait, or without the permission `operate`',
  }),
  to: Type.String({ description: 'Path of its dashboard page' }),
  outbox: nullable(Type.String(), {
    description: 'Outbox that has a message with this id; null without the permission `operate`',
  }),
})

const schema = {
  summary: 'The journey of a business object: related objects and events, in order',
  description:
    "Starts from the id of an order, saga, payment, webhook, statement line (`run/line`), message, file row or case of the caller's organisation and follows all links. `isComplete` is false if there are more than one request follows.",
  tags: ['search'],
  querystring: Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: {
    200: Type.Object({
      isComplete: Type.Boolean(),
      things: Type.Array(Thing),
      timeline: Type.Array(
        Type.Object({
          at: Type.String({ format: 'date-time', description: 'Real time of the event' }),
          what: Type.String(),
          kind: Type.String(),
          id: Type.String({ description: 'Id of the object' }),
        }),
      ),
    }),
  },
}

/** One business thing across all systems, from any id of it. */
export function businessJourneyRoutes(app: App, parts: OperatorParts): void {
  const { pool, follows } = parts
  app.get('/api/v1/journey', { schema }, async (request) => {
    const caller = callerOf(request)
    const operates = may(caller, 'operate')
    const { stops, isComplete } = await followAll(
      { ask: (follow, ids) => follow(pool, { org: caller.org, ids, limit: OF_A_KIND }), follows },
      request.query.id.trim(),
    )
    const shown = stops
      .filter(({ readers }) => readers !== 'operators' || operates)
      .map((stop) => ({ ...stop, events: happenedTo(stop) }))
      .toSorted((one, other) => beginningOf(one) - beginningOf(other))
    const reasons = operates ? await explainStops(parts, shown) : new Map<string, string>()
    const timeline = shown.flatMap(({ kind, id, events }) =>
      events.map(({ at, what }) => ({ at: at.toISOString(), what, kind, id })),
    )
    return {
      isComplete,
      things: shown.map(({ kind, id, title, detail, to, outbox }) => ({
        ...{ kind, id, title, detail, to },
        why: reasons.get(`${outbox}:${id}`) ?? null,
        outbox: operates && outbox !== undefined ? outbox : null,
      })),
      timeline: timeline.toSorted((a, b) => a.at.localeCompare(b.at)).slice(0, MOST_EVENTS),
    }
  })
}

/** Messages of a journey that are looked at. */
const MOST_EXPLAINED = 20

/** Why those that are messages wait, by `outbox:id`. */
async function explainStops(
  { pool, outboxes }: OperatorParts,
  stops: readonly Pick<Stop, 'outbox' | 'id'>[],
): Promise<ReadonlyMap<string, string>> {
  const messages = stops.filter((stop) => outboxes.has(stop.outbox ?? '')).slice(-MOST_EXPLAINED)
  const found = [...Map.groupBy(messages, ({ outbox }) => outbox ?? '')].map(
    async ([name, some]) => {
      const outbox = outboxNamed(outboxes, name)
      const read = await Promise.all(some.map(({ id }) => getMessage(pool, outbox, id)))
      const waiting = read.flatMap((each) => (each && waits(outbox, each) ? [each] : []))
      const reasons = await explainMessages(pool, outbox, waiting)
      return waiting.map(({ id }, i) => [`${name}:${id}`, reasons[i]?.join(' ') ?? ''] as const)
    },
  )
  return new Map((await Promise.all(found)).flat())
}

/** Whether it is neither delivered nor cancelled. */
function waits({ states }: Outbox, { state }: MessageDetails): boolean {
  const { sent, confirmed, cancelled } = states
  const ends = confirmed === undefined ? [sent, cancelled] : [confirmed, cancelled]
  return !ends.map(String).includes(state)
}

/** What has a time, as a time: arrays of a row have theirs as texts. */
function happenedTo({ events }: Stop): { readonly at: Date; readonly what: string }[] {
  return events.flatMap(({ at, what }) => (at === null ? [] : [{ at: new Date(at), what }]))
}

function beginningOf({ events }: { readonly events: readonly { readonly at: Date }[] }): number {
  return Math.min(...events.map(({ at }) => at.getTime()))
}

/** A journey of seven kinds takes four rounds from any of them; each asks every system once. */
const MOST_ROUNDS = 6
const OF_A_KIND = 20
const MOST_STOPS = 100
const MOST_IDS = 500
const MOST_EVENTS = 500

/** What is shorter is the same in too many places: a case "7" is no payment "7". */
const SHORTEST = 4

export interface Following {
  readonly follows: readonly Follow[]
  readonly ask: (follow: Follow, ids: readonly string[]) => Promise<readonly Stop[]>
}

/** From one id to all that it leads to, round by round, until nothing new comes or it is too much. */
export async function followAll({ follows, ask }: Following, id: string) {
  const stops = new Map<string, Stop>()
  const asked = new Set<string>()
  let next = id.length < SHORTEST ? [] : [id]
  let isComplete = true
  for (let round = 0; next.length > 0; round += 1) {
    if (round === MOST_ROUNDS || stops.size >= MOST_STOPS)
      return { stops: listed(stops), isComplete: false }
    for (const each of next) asked.add(each)
    const ids = next
    const found = (await Promise.all(follows.map((follow) => ask(follow, ids)))).map((some) => {
      if (some.length >= OF_A_KIND) isComplete = false
      return some
    })
    for (const stop of found.flat()) stops.set(`${stop.kind} ${stop.id}`, stop)
    const named = found
      .flat()
      .flatMap((stop) => [stop.id, ...(stop.shared && stop.id !== id ? [] : stop.ids)])
    const fresh = named.filter(
      (each) => each !== null && each.length >= SHORTEST && !asked.has(each),
    ) as string[]
    next = [...new Set(fresh)].slice(0, Math.max(0, MOST_IDS - asked.size))
  }
  return { stops: listed(stops), isComplete }
}

function listed(stops: ReadonlyMap<string, Stop>): Stop[] {
  return [...stops.values()].slice(0, MOST_STOPS)
}

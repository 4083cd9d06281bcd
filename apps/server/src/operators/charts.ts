import { readCharts, readLagHistory, type Charts, type Stretches } from '@posthorn/operate/internal'
import type { App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { OutboxName, PLATFORM, outboxNamed } from './outboxes/outbox-registry.ts'

const Time = Type.String({ format: 'date-time' })
const Counts = Type.Array(Type.Number())
const Line = Type.Array(nullable(Type.Number()), {
  description: 'One value for each period; null if unknown',
})
const Latency = Type.Object(
  { p50: Line, p95: Line, p99: Line },
  { description: 'Milliseconds to delivery, from commit or from the due time if that is later' },
)
const Minutes = Type.Integer({ minimum: 1, maximum: 10_080, default: 60 })

const STRETCHES = {
  now: Time,
  from: Type.String({ format: 'date-time', description: 'Start of the first period' }),
  stretchSeconds: Type.Integer(),
  count: Type.Integer({ description: 'Number of periods; the last one is incomplete' }),
}

const Marks = Type.Array(
  Type.Object({
    at: Time,
    kind: Type.Enum(['pause', 'resume', 'replay', 'deploy', 'clock']),
    outbox: NullableText,
    text: Type.String(),
    actor: NullableText,
  }),
)

const ChartsResource = Type.Object({
  ...STRETCHES,
  outboxes: Type.Record(
    Type.String(),
    Type.Object({
      delivered: Counts,
      failed: Type.Array(Type.Number(), {
        description: 'Failed attempts',
      }),
      postponed: Type.Array(Type.Number(), {
        description:
          'Messages claimed but not attempted: breaker open, destination busy or limit reached',
      }),
      dead: Counts,
      waiting: Line,
      oldestDueSeconds: Line,
      oldestUndeliveredSeconds: Line,
      latency: Latency,
      codes: Type.Record(Type.String(), Counts),
    }),
  ),
  latency: Latency,
  destinations: Type.Array(
    Type.Object({
      outbox: Type.String(),
      destination: Type.String(),
      name: NullableText,
      answered: Counts,
      unanswered: Counts,
    }),
  ),
  marks: Marks,
})

const chartsOf = resource<typeof ChartsResource, object>(ChartsResource)

const LagResource = Type.Object({
  ...STRETCHES,
  consumers: Type.Array(Type.Object({ topic: Type.String(), group: Type.String(), lag: Line })),
  marks: Marks,
})

const lagOf = resource<typeof LagResource, Stretches>(LagResource)

const tags = ['outboxes']

const charts = {
  summary: 'Charts: latency, throughput, failures by code, destinations, marks',
  description:
    'Periods of one minute for up to three hours, five minutes for up to a day, half an hour beyond. Relays write the figures once a minute.',
  tags,
  querystring: Type.Object({ outbox: Type.Optional(OutboxName), minutes: Minutes }),
  response: { 200: ChartsResource },
}

const consumers = {
  summary: 'Lag of consumer groups',
  tags,
  querystring: Type.Object({ minutes: Minutes }),
  response: { 200: LagResource },
}

export function chartRoutes(app: App, { pool, outboxes, nameDestinations }: OperatorParts): void {
  const shared = shareAnswers<Charts>()

  app.get('/api/v1/charts', { schema: charts, config: PLATFORM }, async (request) => {
    const { outbox, minutes } = request.query
    const names = outbox === undefined ? [...outboxes.keys()] : [outboxNamed(outboxes, outbox).name]
    const answer = await shared(`${minutes} ${outbox ?? ''}`, minutes, () =>
      readCharts(pool, names, { minutes }),
    )
    const called = await nameDestinations(answer.destinations.map(({ destination }) => destination))
    const destinations = answer.destinations.map((each) => ({
      ...each,
      name: called.get(each.destination),
    }))
    return chartsOf({ ...answer, destinations })
  })

  app.get('/api/v1/charts/consumers', { schema: consumers, config: PLATFORM }, async (request) => {
    const history = { ...request.query, outboxes: [...outboxes.keys()] }
    return lagOf(await readLagHistory(pool, history))
  })
}

/** Relays write every five seconds; a long time changes less from one look to the next. */
function freshMs(minutes: number): number {
  return minutes <= 180 ? 2_000 : 20_000
}

/** Many windows share one answer for a while. A failure is not kept, nor what is no longer fresh. */
function shareAnswers<Answer>() {
  const kept = new Map<string, Promise<Answer>>()
  return (key: string, minutes: number, read: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(key)
    if (known) return known
    const answer = read()
    kept.set(key, answer)
    const forget = () => kept.delete(key)
    answer.then(() => setTimeout(forget, freshMs(minutes)).unref(), forget)
    return answer
  }
}

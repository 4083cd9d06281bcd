import { getMessage, readJourney } from '@posthorn/operate'
import { type JourneyStep } from '@posthorn/operate/internal'
import { problem, type App } from '@posthorn/http'
import { NullableText } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import type { OperatorParts } from '../index.ts'
import { MessageParams } from './messages.ts'
import {
  OPERATOR,
  isWithin,
  outboxFor,
  scopeOf,
  Moment,
  TransitionResource,
  textOrNull,
  transitionOf,
} from './outbox-registry.ts'

const Time = Type.String({ format: 'date-time' })

const Step = Type.Union([
  Type.Object({ kind: Type.Literal('created'), at: Time }),
  Type.Object({ kind: Type.Literal('transition'), ...TransitionResource.properties }),
  Type.Object({
    kind: Type.Literal('arrived'),
    at: Moment,
    transport: Type.String(),
    topic: Type.String(),
    ref: Type.Record(Type.String(), Type.String()),
    groups: Type.Array(Type.Object({ group: Type.String(), hasPassed: Type.Boolean() })),
  }),
  Type.Object({
    kind: Type.Literal('received'),
    at: Time,
    inbox: Type.String(),
    consumer: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('related'),
    at: Time,
    outbox: Type.String(),
    messageId: Type.String(),
    state: Type.String(),
  }),
])

const schema = {
  summary:
    'The timeline of a message: transaction, outbox, topic, inboxes and other messages of its trace',
  description: '`isComplete` is false if the search for messages of the same trace took too long.',
  tags: ['outboxes'],
  params: MessageParams,
  response: {
    200: Type.Object({
      outbox: Type.String(),
      messageId: Type.String(),
      eventId: NullableText,
      traceId: NullableText,
      isComplete: Type.Boolean(),
      steps: Type.Array(Step),
    }),
  },
}

export function journeyRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  app.get(
    '/api/v1/outboxes/:name/messages/:id/journey',
    { schema, config: OPERATOR },
    async (request) => {
      const { name, id } = request.params
      const scope = scopeOf(request)
      const outbox = outboxFor(request, outboxes, name)
      const details = await getMessage(pool, outbox, id)
      if (!details || !isWithin(scope, details))
        throw problem('NOT_FOUND', { detail: `${name} has no such message` })
      const all = [...outboxes.values()]
      const { eventId, traceId, isComplete, steps } = await readJourney(pool, all, {
        outbox,
        details,
        ...scope,
      })
      return {
        outbox: name,
        messageId: details.id,
        eventId: textOrNull(eventId),
        traceId: textOrNull(traceId),
        isComplete,
        steps: steps.map(stepOf),
      }
    },
  )
}

function stepOf(step: JourneyStep): Static<typeof Step> {
  switch (step.kind) {
    case 'transition':
      return { kind: step.kind, ...transitionOf(step) }
    case 'arrived': {
      const { kind, at, transport, topic, ref, groups } = step
      return { kind, at: textOrNull(at), transport, topic, ref: { ...ref }, groups: [...groups] }
    }
    case 'created':
    case 'received':
    case 'related':
      return { ...step, at: step.at.toISOString() }
  }
}

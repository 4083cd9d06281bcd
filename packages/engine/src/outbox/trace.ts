import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api'
import { failureOf, type ErrorCode, type Failure } from '../errors.ts'
import type { Message } from './message.ts'
import { measureProcess, measureSend, systemOf, type Reader } from './messaging-metrics.ts'
import { outcomeOfThrow, type Outcome } from './outcome.ts'
import type { DeliverOptions, Delivery, Handled } from './transport.ts'
import { createRequire } from 'node:module'
import type * as OpenTelemetryApi from '@opentelemetry/api'

type OpenTelemetry = typeof OpenTelemetryApi

/** Where an SDK of OpenTelemetry 1.x registers itself, with any copy of the API. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

let loaded: OpenTelemetry | undefined
let isLoading = false

/**
 * OpenTelemetry's API, in a process that has an SDK; undefined in all others, which are spared its
 * sixty files.
 */
function openTelemetry(): OpenTelemetry | undefined {
  if (loaded === undefined && !isLoading && REGISTRY in globalThis) load()
  return loaded
}

function load(): void {
  isLoading = true
  try {
    loaded = createRequire(import.meta.url)('@opentelemetry/api') as OpenTelemetry
  } catch {
    // A bundle has it inside, where only this finds it; spans begin as soon as it is there. One that has
    // left it out traces nothing.
    import('@opentelemetry/api').then(
      (found) => (loaded = found),
      () => undefined,
    )
  }
}

const TRACER = '@posthorn/engine'

/** The active span as a W3C `traceparent`, with any propagators of the host; undefined without one. */
export function currentTraceparent(): string | undefined {
  const api = openTelemetry()
  return api && traceparentOf(api, api.trace.getActiveSpan())
}

type Report = NonNullable<DeliverOptions['report']>

interface Delivering {
  readonly outbox: string
  readonly report: Report
}

type Deliver = (batch: readonly Delivery[], report: Report) => Promise<readonly Outcome[]>

/**
 * Delivers a batch under a PRODUCER span for each message, child of the span that enqueued it. The
 * messages handed to `deliver` carry their own span, so that request, outbox, broker and consumer
 * are one trace. Without an SDK the batch goes through as it is. A meter counts and times each message.
 */
export async function withDeliverySpan(
  { outbox, report }: Delivering,
  batch: readonly Delivery[],
  deliver: Deliver,
): Promise<readonly Outcome[]> {
  const api = openTelemetry()
  if (!api) return deliver(batch, report)
  const startedAt = performance.now()
  const open = new Set(batch.keys())
  const measure = (i: number, outcome: Outcome | undefined) => {
    const destination = batch[i]?.destination
    if (!open.delete(i) || !outcome || !destination) return
    measureSend(api, destination, { outcome, startedAt })
  }
  const reported = (i: number, outcome: Outcome) => {
    measure(i, outcome)
    report(i, outcome)
  }
  try {
    const outcomes = await inDeliverySpans(api, { outbox, report: reported }, batch, deliver)
    outcomes.forEach((outcome, i) => measure(i, outcome))
    return outcomes
  } catch (error) {
    for (const i of open) measure(i, outcomeOfThrow(error))
    throw error
  }
}

// oxlint-disable-next-line max-params -- the API, and what withDeliverySpan is given
async function inDeliverySpans(
  api: OpenTelemetry,
  { outbox, report }: Delivering,
  batch: readonly Delivery[],
  deliver: Deliver,
): Promise<readonly Outcome[]> {
  const [head, ...rest] = batch
  if (!head) return deliver(batch, report)
  const { context, trace, ROOT_CONTEXT } = api
  const first = deliverySpan(api, outbox, head)
  const own = traceparentOf(api, first)
  // With no tracer behind it, the API gives back the parent or an empty span.
  if (own === undefined || own === head.message.traceparent) return deliver(batch, report)
  const spans = [first, ...rest.map((delivery) => deliverySpan(api, outbox, delivery))]
  const traced = batch.map((delivery, i) => ({
    ...delivery,
    message: { ...delivery.message, traceparent: traceparentOf(api, spans[i]) },
  }))
  // What instruments the client (fetch, a broker's library) belongs to a message only if it is
  // alone; and never to the span that was active when the relay was woken.
  const active = batch.length === 1 ? trace.setSpan(ROOT_CONTEXT, first) : ROOT_CONTEXT
  const open = new Map(spans.entries())
  const end = (i: number, outcome: Outcome | undefined) => {
    const span = open.get(i)
    if (!span) return
    open.delete(i)
    noteOutcome(api, span, outcome)
    span.end()
  }
  const ended = (i: number, outcome: Outcome) => {
    end(i, outcome)
    report(i, outcome)
  }
  try {
    const outcomes = await context.with(active, deliver, undefined, traced, ended)
    spans.forEach((_, i) => end(i, outcomes[i]))
    return outcomes
  } catch (error) {
    for (const span of open.values()) {
      noteError(api, span, error)
      span.end()
    }
    throw error
  }
}

/** Runs a consumer's handler in a CONSUMER span, child of the span that sent the message. */
export function withConsumerSpan<Result>(
  message: Message,
  consumer: Reader,
  handle: () => Promise<Result>,
): Promise<Result> {
  return process({ message, consumer, failureIn: () => undefined }, handle)
}

/** The same for a handler of an outbox, whose outcome may say that it failed. */
export function withHandlerSpan(
  { message, destination }: Delivery,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  const failureIn = (outcome: Outcome) => ('failure' in outcome ? outcome.failure : undefined)
  return process({ message, consumer: destination, failureIn }, handle)
}

interface Processing<Result> {
  readonly message: Message
  readonly consumer: Reader
  readonly failureIn: (result: Result) => Failure | undefined
}

function process<Result>(
  { message, consumer, failureIn }: Processing<Result>,
  handle: () => Promise<Result>,
): Promise<Result> {
  const api = openTelemetry()
  if (!api) return handle()
  const options = consumerSpan(api, message, consumer)
  const startedAt = performance.now()
  const run = async (span: Span) => {
    let error: string | undefined
    try {
      const result = await handle()
      const failure = failureIn(result)
      if (failure) error = noteFailure(api, span, failure)
      return result
    } catch (thrown) {
      error = noteError(api, span, thrown)
      throw thrown
    } finally {
      span.end()
      measureProcess(api, consumer, { error, startedAt })
    }
  }
  const tracer = api.trace.getTracer(TRACER)
  return tracer.startActiveSpan(`process ${consumer.topic}`, options, parentOf(api, message), run)
}

/**
 * Runs a consumer's batch with a CONSUMER span for each message, each the child of the span that
 * sent it. None of them is active: what the batch does belongs to all of its messages.
 */
export async function withConsumerSpans(
  messages: readonly Message[],
  consumer: Reader,
  handle: () => Promise<readonly Handled[]>,
): Promise<readonly Handled[]> {
  const api = openTelemetry()
  if (!api) return handle()
  const tracer = api.trace.getTracer(TRACER)
  const spans = messages.map((message) =>
    tracer.startSpan(
      `process ${consumer.topic}`,
      consumerSpan(api, message, consumer),
      parentOf(api, message),
    ),
  )
  const startedAt = performance.now()
  const measure = (error: string | undefined) => measureProcess(api, consumer, { error, startedAt })
  try {
    const results = await api.context.with(api.ROOT_CONTEXT, handle)
    results.forEach((result, i) => {
      const span = spans[i]
      if (!span || result === 'untried') return
      measure(result === 'done' ? undefined : noteError(api, span, result.error))
    })
    return results
  } catch (error) {
    spans.forEach((span) => measure(noteError(api, span, error)))
    throw error
  } finally {
    spans.forEach((span) => span.end())
  }
}

function consumerSpan(
  { SpanKind }: OpenTelemetry,
  message: Message,
  { transport, topic, group }: Reader,
): SpanOptions {
  const attributes = {
    ...messageAttributes('process', message, { transport, topic }),
    ...(group !== undefined && { 'messaging.consumer.group.name': group }),
  }
  return { kind: SpanKind.CONSUMER, attributes }
}

function deliverySpan(
  api: OpenTelemetry,
  outbox: string,
  { message, destination }: Delivery,
): Span {
  const attributes = {
    ...messageAttributes('send', message, destination),
    'posthorn.outbox': outbox,
  }
  const options = { kind: api.SpanKind.PRODUCER, attributes }
  const tracer = api.trace.getTracer(TRACER)
  return tracer.startSpan(`send ${destination.topic}`, options, parentOf(api, message))
}

function messageAttributes(
  type: 'send' | 'process',
  message: Message,
  { transport, topic }: Pick<Reader, 'transport' | 'topic'>,
): Attributes {
  return {
    'messaging.system': systemOf(transport),
    'messaging.operation.type': type,
    'messaging.operation.name': type,
    'messaging.destination.name': topic,
    'messaging.message.id': message.id,
    'posthorn.message.type': message.type,
  }
}

function parentOf(
  { trace, ROOT_CONTEXT, isSpanContextValid }: OpenTelemetry,
  { traceparent }: Message,
): Context {
  // Later versions may add fields at the end; "ff" is the one version that never will be.
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(
      traceparent ?? '',
    ) ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}

function traceparentOf(
  { isSpanContextValid }: OpenTelemetry,
  span: Span | undefined,
): string | undefined {
  const spanContext = span?.spanContext()
  if (!spanContext || !isSpanContextValid(spanContext)) return undefined
  const { traceId, spanId, traceFlags } = spanContext
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`
}

function noteOutcome(api: OpenTelemetry, span: Span, outcome: Outcome | undefined): void {
  if (outcome?.kind === 'delivered') return
  noteFailure(api, span, outcome?.failure ?? failureOf<ErrorCode>(undefined, 'TRANSPORT_BROKEN'))
}

function noteError(api: OpenTelemetry, span: Span, error: unknown): string {
  if (error instanceof Error) span.recordException(error)
  return noteFailure(api, span, failureOf<ErrorCode>(error, 'DELIVERY_FAILED'))
}

function noteFailure(
  { SpanStatusCode }: OpenTelemetry,
  span: Span,
  { code, message }: Failure,
): string {
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR, message })
  return code
}

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ROOT_CONTEXT,
  context,
  trace,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type SpanKind,
  type SpanOptions,
  type SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import { afterEach, beforeEach } from 'vitest'
import { uuid } from '../uuid.ts'

/** What an SDK records of a span; enough of one to see whose child it is. */
export class RecordedSpan {
  readonly name: string
  readonly kind: SpanKind | undefined
  readonly attributes: Attributes
  readonly parent: string | undefined
  readonly traceId: string
  readonly spanId = uuid().replaceAll('-', '').slice(16)
  status: { code: SpanStatusCode; message?: string } | undefined
  exceptions: unknown[] = []
  ended = 0

  constructor(name: string, options: SpanOptions, parent: Context) {
    const from = trace.getSpanContext(parent)
    this.name = name
    this.kind = options.kind
    this.attributes = { ...options.attributes }
    this.parent = from?.spanId
    this.traceId = from?.traceId ?? uuid().replaceAll('-', '')
  }

  spanContext = () => ({ traceId: this.traceId, spanId: this.spanId, traceFlags: 1 })
  setAttribute = (key: string, value: string) => {
    this.attributes[key] = value
    return this
  }
  setAttributes = (attributes: Attributes) => void Object.assign(this.attributes, attributes)
  setStatus = (status: { code: SpanStatusCode; message?: string }) => void (this.status = status)
  recordException = (error: unknown) => void this.exceptions.push(error)
  end = () => void (this.ended += 1)
}

export interface SpanRecorder {
  /** In the order in which they were started; empty before each test. */
  readonly spans: RecordedSpan[]
  startSpan(name: string, options: SpanOptions, parent?: Context): Span
}

/** Stands in for an OpenTelemetry SDK in the tests of a file or a `describe`. */
export function useSpanRecorder(): SpanRecorder {
  const spans: RecordedSpan[] = []
  const storage = new AsyncLocalStorage<Context>()
  const contexts = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (next: Context, fn: (...args: unknown[]) => unknown, ...[self, ...args]: unknown[]) =>
      storage.run(next, () => fn.apply(self, args)),
    enable: () => contexts,
    disable: () => contexts,
  } as unknown as ContextManager
  const tracer = {
    startSpan(name: string, options: SpanOptions, parent: Context = context.active()) {
      const span = new RecordedSpan(name, options, parent)
      spans.push(span)
      return span as unknown as Span
    },
    startActiveSpan(
      name: string,
      ...[options, parent, run]: [SpanOptions, Context, (span: Span) => unknown]
    ) {
      const span = tracer.startSpan(name, options, parent)
      return context.with(trace.setSpan(parent, span), run, undefined, span)
    },
  }
  beforeEach(() => {
    spans.length = 0
    context.setGlobalContextManager(contexts)
    trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer })
  })
  afterEach(() => {
    trace.disable()
    context.disable()
  })
  return { spans, startSpan: (...args) => tracer.startSpan(...args) }
}

import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  isSpanContextValid,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problemOf } from '../problem/problem-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The SERVER span with the context to run in; undefined without an SDK. */
    traced: { readonly span: Span; readonly context: Context } | undefined
  }
}

/** One SERVER span a request, child of the `traceparent` it brings; active in its handler. */
export function addTracing(app: FastifyInstance): void {
  const tracer = trace.getTracer('@posthorn/http')
  app.decorateRequest('traced', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions
    const parent = parentOf(request.headers['traceparent'])
    const name = config.url === undefined ? request.method : `${request.method} ${config.url}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent)
    // Without an SDK the span is not recorded.
    if (!isSpanContextValid(span.spanContext())) return done()
    begin(request, span, parent)
    // Also where the client no longer waits for the answer.
    reply.raw.once('close', () => end(span, reply))
    done()
  })
  // Not earlier: the events of a body's stream run in the connection's context.
  app.addHook('preValidation', (request, _reply, done) => {
    if (!request.traced) return done()
    context.with(request.traced.context, done)
  })
  app.addHook('onError', async (request, _reply, error) => {
    const { code, status } = problemOf(error)
    if (status >= 500) request.traced?.span.recordException(error)
    request.traced?.span.setAttribute('error.type', code)
  })
}

function begin(request: FastifyRequest, span: Span, parent: Context): void {
  const [path = '', query] = request.url.split('?')
  span.setAttributes({
    'http.request.method': request.method,
    'url.path': path,
    'url.scheme': request.protocol,
    'client.address': request.ip,
    ...(query !== undefined && { 'url.query': '[redacted]' }),
    ...(!request.is404 && { 'http.route': request.routeOptions.config.url }),
  })
  request.traced = { span, context: trace.setSpan(parent, span) }
  request.log = request.log.child({ traceId: span.spanContext().traceId })
}

function end(span: Span, { statusCode, raw }: FastifyReply): void {
  span.setAttribute('http.response.status_code', statusCode)
  if (!raw.writableEnded) span.setAttribute('error.type', 'ABORTED')
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function parentOf(traceparent: string | string[] | undefined): Context {
  if (typeof traceparent !== 'string') return ROOT_CONTEXT
  // Later versions may add fields at the end; "ff" is the one version that never will be.
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(traceparent) ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}

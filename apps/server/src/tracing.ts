import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

export interface Tracing {
  /** Sends what is not sent yet, and ends. */
  close(): Promise<void>
}

/**
 * Sends traces by OTLP over HTTP. The exporter reads the rest (headers, timeouts, sampling) from
 * OpenTelemetry's own variables; without an endpoint nothing is set up and spans cost nothing.
 */
export function startTracing(endpoint: string | undefined): Tracing {
  if (endpoint === undefined) return { close: async () => undefined }
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'posthorn',
      }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return { close: () => provider.shutdown() }
}

import { context, trace } from '@opentelemetry/api'

export interface Tracing {
  /** Sends what is not sent yet, and ends. */
  close(): Promise<void>
}

/**
 * Sends traces by OTLP over HTTP. The exporter reads the rest (headers, timeouts, sampling) from
 * OpenTelemetry's own variables; without an endpoint nothing is set up and spans cost nothing.
 */
export async function startTracing(endpoint: string | undefined): Promise<Tracing> {
  if (endpoint === undefined) return { close: async () => undefined }
  // Some hundred modules, which most starts need not load.
  const [{ AsyncLocalStorageContextManager }, { OTLPTraceExporter }, resources, sdk] =
    await Promise.all([
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
    ])
  const provider = new sdk.TracerProvider({
    resource: resources.defaultResource().merge(
      resources.resourceFromAttributes({
        'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'posthorn',
      }),
    ),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return { close: () => provider.shutdown() }
}

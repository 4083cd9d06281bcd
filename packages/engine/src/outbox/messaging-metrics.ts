import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Counter, Histogram, MeterProvider } from '@opentelemetry/api'
import { wasTried, type Outcome } from './outcome.ts'
import type { Destination } from './transport.ts'

/** Who reads a topic, and by which transport. */
export interface Reader {
  /** The name that destinations use: `kafka`, `topics`. */
  readonly transport: string
  readonly topic: string
  /** Handlers of an outbox have none. */
  readonly group?: string
}

/** The metrics of OpenTelemetry's conventions for messaging, which tools know by name. */
interface Instruments {
  readonly provider: MeterProvider
  readonly sent: Counter
  readonly consumed: Counter
  readonly operation: Histogram
  readonly processing: Histogram
}

/** Those that the conventions ask for, in seconds. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

let known: Instruments | undefined

/** The instruments of the meter that the process has now: an SDK may start late, and again in tests. */
function instrumentsOf({ metrics }: typeof OpenTelemetry): Instruments {
  const provider = metrics.getMeterProvider()
  if (known?.provider === provider) return known
  const meter = provider.getMeter('@posthorn/engine')
  const count = (name: string, description: string) =>
    meter.createCounter(name, { description, unit: '{message}' })
  const time = (name: string, description: string) =>
    meter.createHistogram(name, {
      ...{ description, unit: 's' },
      advice: { explicitBucketBoundaries: BOUNDARIES },
    })
  known = {
    provider,
    sent: count('messaging.client.sent.messages', 'Messages that a relay tried to send'),
    consumed: count('messaging.client.consumed.messages', 'Messages given to a consumer'),
    operation: time('messaging.client.operation.duration', 'Time until the outcome of a send'),
    processing: time('messaging.process.duration', 'Time that a consumer took'),
  }
  return known
}

/** `aws_sqs` is what the conventions call SQS; their other names are those of our transports. */
export function systemOf(transport: string): string {
  return transport === 'sqs' ? 'aws_sqs' : transport
}

/** Notes an outcome of sending; what was held back was not sent. */
export function measureSend(
  api: typeof OpenTelemetry,
  { transport, topic, label }: Destination,
  { outcome, startedAt }: { outcome: Outcome; startedAt: number },
): void {
  if (!wasTried(outcome)) return
  const { sent, operation } = instrumentsOf(api)
  const attributes: Attributes = {
    'messaging.system': systemOf(transport),
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    // A label stands for topics that are many.
    [label === undefined ? 'messaging.destination.name' : 'messaging.destination.template']:
      label ?? topic,
    ...(outcome.kind !== 'delivered' && { 'error.type': outcome.failure.code }),
  }
  sent.add(1, attributes)
  operation.record((performance.now() - startedAt) / 1_000, attributes)
}

/** Notes what became of a message in a consumer's hands; `error` is the code of its failure. */
export function measureProcess(
  api: typeof OpenTelemetry,
  { transport, topic, group }: Reader,
  { error, startedAt }: { error: string | undefined; startedAt: number },
): void {
  const { consumed, processing } = instrumentsOf(api)
  const attributes: Attributes = {
    'messaging.system': systemOf(transport),
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': topic,
    ...(group !== undefined && { 'messaging.consumer.group.name': group }),
    ...(error !== undefined && { 'error.type': error }),
  }
  consumed.add(1, attributes)
  processing.record((performance.now() - startedAt) / 1_000, attributes)
}

import type { Message } from '../outbox/message.ts'
import { delivered, type Outcome } from '../outbox/outcome.ts'
import type { Transport } from '../outbox/transport.ts'

/** A destination in memory that does what a test tells it to. */
export interface FakeTransport extends Transport {
  /** What was delivered, in the order of arrival. */
  readonly arrived: Message[]
  /** Every attempt, delivered or not. */
  readonly attempted: Message[]
  readonly batches: number[]
  /** What the next attempts come to; default: everything is delivered. */
  answer: (message: Message) => Outcome | Promise<Outcome>
}

/** Ordered batches stop at a key's first failure, as every transport must. */
export function fakeTransport(answer?: FakeTransport['answer']): FakeTransport {
  const transport: FakeTransport = {
    arrived: [],
    attempted: [],
    batches: [],
    answer: answer ?? (() => delivered()),
    async deliver(batch, { ordered, report }) {
      transport.batches.push(batch.length)
      const stopped = new Map<string | undefined, Outcome>()
      const outcomes: Outcome[] = []
      for (const [at, { message }] of batch.entries()) {
        const earlier = ordered ? stopped.get(message.key) : undefined
        const outcome = earlier ?? (await attempt(transport, message))
        if (ordered && outcome.kind !== 'delivered') stopped.set(message.key, outcome)
        outcomes.push(outcome)
        report?.(at, outcome)
      }
      return outcomes
    },
    close: async () => undefined,
  }
  return transport
}

async function attempt(transport: FakeTransport, message: Message): Promise<Outcome> {
  transport.attempted.push(message)
  const outcome = await transport.answer(message)
  if (outcome.kind === 'delivered') transport.arrived.push(message)
  return outcome
}

/** The transports of a relay whose every destination is this one. */
export function everywhere(
  transport: Transport,
  names: readonly string[],
): Record<string, Transport> {
  return Object.fromEntries(names.map((name) => [name, transport]))
}

import {
  retryLater,
  toMs,
  type Delivery,
  type Duration,
  type ErrorCode,
  type Failure,
  type Outcome,
  type Transport,
} from '@posthorn/engine'
import { type DeliverOptions } from '@posthorn/engine/internal'
import { EndpointQueues, type EndpointQueue } from './endpoint-queue.ts'
import type { Guard } from './guard.ts'
import { waits, type Answered } from './outcome.ts'
import { Poster, type WebhookTarget } from './poster.ts'

export interface WebhookTransportOptions {
  /**
   * Where each delivery of a batch goes, in their order; or its outcome, if it need not be tried.
   * A throw means that nothing was tried.
   */
  resolve(batch: readonly Delivery[]): Promise<readonly (WebhookTarget | Answered)[]>
  readonly guard: Guard
  /** `ce-source` of the requests. Default `posthorn`. */
  readonly source?: string
  /** For a whole exchange, the answer's body included. Default `15s`. */
  readonly timeout?: Duration
  /** Requests under way to one endpoint (a destination's topic) at the most. Default 10. */
  readonly perEndpoint?: number
}

/** Posts signed webhooks to addresses that may be posted to. A redirect is never followed. */
export function webhookTransport(
  options: WebhookTransportOptions,
): Transport & { close(): Promise<void> } {
  return new WebhookTransport(options)
}

class WebhookTransport implements Transport {
  readonly takes = 'each'
  readonly #options: WebhookTransportOptions
  readonly #poster: Poster
  readonly #queues: EndpointQueues
  readonly #batches = new Map<AbortController, Promise<unknown>>()
  #closed = false

  constructor(options: WebhookTransportOptions) {
    this.#options = options
    const { guard, source = 'posthorn', timeout = '15s', perEndpoint = 10 } = options
    this.#poster = new Poster({ guard, source, timeoutMs: toMs(timeout) })
    this.#queues = new EndpointQueues(perEndpoint)
  }

  async deliver(
    batch: readonly Delivery[],
    { ordered, signal, report }: DeliverOptions,
  ): Promise<readonly Outcome[]> {
    const targets = await this.#options.resolve(batch)
    const outcomes = Array.from<Answered>({ length: batch.length })
    const end: End = (at, outcome) => {
      outcomes[at] = outcome
      report?.(at, outcome)
    }
    const stopped = new Set<string>()
    const placed = batch.flatMap((delivery, at) => {
      const target = targets[at]
      if (target === undefined) return []
      const key = ordered ? delivery.message.key : undefined
      if (key !== undefined && stopped.has(key)) end(at, HELD_BACK)
      else if ('kind' in target) end(at, target)
      else return [{ at, delivery, target, key }]
      // What comes after it in its key must not overtake it.
      if (key !== undefined && outcomes[at]?.kind !== 'delivered') stopped.add(key)
      return []
    })
    const abort = new AbortController()
    const callOff = () => abort.abort()
    if (signal.aborted || this.#closed) callOff()
    signal.addEventListener('abort', callOff, { once: true })
    const sending = Promise.all(
      sequencesOf(placed).map(([topic, sequence]) =>
        this.#send(sequence, { queue: this.#queues.of(topic), signal: abort.signal, end }),
      ),
    )
    this.#batches.set(abort, sending)
    await sending
    this.#batches.delete(abort)
    signal.removeEventListener('abort', callOff)
    return outcomes
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const batch of this.#batches.keys()) batch.abort()
    await Promise.all(this.#batches.values())
    await this.#poster.close()
  }

  /** One after the other, each only if the one before went through. */
  async #send(
    sequence: readonly Placed[],
    { queue, signal, end }: { queue: EndpointQueue; signal: AbortSignal; end: End },
  ): Promise<void> {
    if (!(await queue.enter())) {
      for (const { at } of sequence) end(at, waits('WEBHOOK_BUSY', queue.retryInMs()))
      return
    }
    let isStopped = false
    for (const { at, delivery, target } of sequence) {
      const outcome: Answered = isStopped
        ? HELD_BACK
        : await queue.time(() => this.#poster.post(delivery, target, signal))
      isStopped ||= outcome.kind !== 'delivered'
      end(at, outcome)
    }
    queue.leave()
  }
}

/** Says what became of the delivery at this place of the batch. */
type End = (at: number, outcome: Answered) => void

interface Placed {
  readonly at: number
  readonly delivery: Delivery
  readonly target: WebhookTarget
  /** Of an ordered batch: what shares it goes one after the other. */
  readonly key: string | undefined
}

/**
 * What goes one after the other: the messages of one key in an ordered batch, and deliveries of one
 * key to one endpoint that have a place. All else goes alone.
 */
function sequencesOf(placed: readonly Placed[]): [string, Placed[]][] {
  const keyed = new Map<string, Placed[]>()
  const sequences: [string, Placed[]][] = []
  for (const each of placed.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { topic } = each.delivery.destination
    if (each.target.place === undefined && each.key === undefined) {
      sequences.push([topic, [each]])
      continue
    }
    // The order of a key holds across endpoints; a place is one of its endpoint's.
    const { key } = each.delivery.message
    const name = JSON.stringify(each.key === undefined ? [topic, key ?? null] : [each.key])
    const known = keyed.get(name)
    if (known) known.push(each)
    else {
      const sequence = [each]
      keyed.set(name, sequence)
      sequences.push([topic, sequence])
    }
  }
  return sequences
}

function placeOf({ target }: Placed): number {
  return target.place ?? 0
}

/** The engine's word for a message behind one that did not go through. */
const BEHIND: Failure<ErrorCode> = {
  code: 'HELD_BACK',
  message: 'an earlier webhook of the same key has not gone through yet',
}

const HELD_BACK: Outcome = retryLater(BEHIND, { after: '1s', charge: false })

import {
  toMs,
  uuid,
  type DeliverOptions,
  type Delivery,
  type Duration,
  type Outcome,
  type Transport,
} from '@posthorn/engine'
import { HELD_BACK, Sequence, type Step } from './sequence.ts'
import type { Guard } from './guard.ts'
import { EndpointQueues } from './endpoint-queue.ts'
import { waits, type Answered } from './outcome.ts'
import { Poster, type WebhookTarget } from './poster.ts'

/** An answer that came after its batch had stopped to wait for it. */
export interface LateAnswer {
  readonly delivery: Delivery
  readonly outcome: Answered
}

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
  /**
   * Given, a batch waits no longer than `patience` for an answer: the request goes on by itself, its
   * outcome is `WEBHOOK_PENDING`, and the answer comes here. One slow endpoint then holds up no other.
   */
  late?(answer: LateAnswer): Promise<void>
  /** The most that is waited; less for an endpoint that is usually quick. Default `500ms`. */
  readonly patience?: Duration
}

/** Until a request that is no longer awaited is surely over and its answer stored. */
const MARGIN_MS = 2_000

/** An endpoint without history has this long to answer, and a little more for each in its batch. */
const LEAST_PATIENCE_MS = 20
const LEAST_PATIENCE_EACH_MS = 5

/** Posts signed webhooks to addresses that may be posted to. A redirect is never followed. */
export function webhookTransport(
  options: WebhookTransportOptions,
): Transport & { close(): Promise<void> } {
  return new WebhookTransport(options)
}

class WebhookTransport implements Transport {
  readonly #options: WebhookTransportOptions
  readonly #poster: Poster
  readonly #queues: EndpointQueues
  readonly #timeoutMs: number
  readonly #patienceMs: number
  /** By message: one that is due again while its request is still under way is not sent twice. */
  readonly #underWay = new Map<string, Promise<Answered>>()
  readonly #writing = new Set<Promise<void>>()
  readonly #batches = new Set<AbortController>()
  #closed = false

  constructor(options: WebhookTransportOptions) {
    this.#options = options
    this.#timeoutMs = toMs(options.timeout ?? '15s')
    this.#patienceMs = toMs(options.patience ?? '500ms')
    const { guard, source = 'posthorn', perEndpoint = 10 } = options
    this.#poster = new Poster({ guard, source, timeoutMs: this.#timeoutMs })
    this.#queues = new EndpointQueues({ most: perEndpoint, patienceMs: this.#patienceMs })
  }

  async deliver(
    batch: readonly Delivery[],
    { ordered, signal }: DeliverOptions,
  ): Promise<readonly Outcome[]> {
    const targets = await this.#options.resolve(batch)
    const outcomes = Array.from<Answered>({ length: batch.length })
    const stopped = new Set<string>()
    const placed = batch.flatMap((delivery, at) => {
      const target = targets[at]
      if (target === undefined) return []
      const key = ordered ? delivery.message.key : undefined
      if (key !== undefined && stopped.has(key)) outcomes[at] = HELD_BACK
      else if ('kind' in target) outcomes[at] = target
      else if (!this.#underWay.has(delivery.message.id)) return [{ at, delivery, target, key }]
      else outcomes[at] = waits('WEBHOOK_PENDING', this.#timeoutMs)
      // What comes after it in its key must not overtake it.
      if (key !== undefined && outcomes[at]?.kind !== 'delivered') stopped.add(key)
      return []
    })
    const abort = new AbortController()
    const callOff = () => abort.abort()
    if (signal.aborted || this.#closed) callOff()
    signal.addEventListener('abort', callOff, { once: true })
    this.#batches.add(abort)
    const started = this.#start(placed, outcomes, abort.signal)
    await this.#await(started.awaited, outcomes)
    // What is left to itself outlives its batch, and the batch's claim.
    signal.removeEventListener('abort', callOff)
    void Promise.all(started.all.map(({ over }) => over)).then(() => this.#batches.delete(abort))
    return outcomes
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const batch of this.#batches) batch.abort()
    await Promise.all(this.#underWay.values())
    await Promise.all(this.#writing)
    await this.#poster.close()
  }

  /** Starts what may start. A batch does not wait for an endpoint that is known to be slow. */
  #start(
    placed: readonly Placed[],
    outcomes: Answered[],
    signal: AbortSignal,
  ): { all: Sequence[]; awaited: Sequence[] } {
    const all: Sequence[] = []
    const awaited: Sequence[] = []
    const isPatient = this.#options.late === undefined
    for (const [topic, deliveries] of sequencesOf(placed)) {
      const queue = this.#queues.of(topic)
      if (!isPatient && queue.isStuck) {
        for (const { at } of deliveries) outcomes[at] = waits('WEBHOOK_BUSY', queue.retryInMs())
        continue
      }
      const steps = deliveries.map((each) => this.#step(each, signal))
      const timeoutMs = Math.max(
        ...deliveries.map(({ target }) => target.timeoutMs ?? this.#timeoutMs),
      )
      const sequence = new Sequence(steps, {
        queue,
        overMs: timeoutMs + MARGIN_MS,
        late: (step, outcome) => this.#late(step, outcome),
      })
      const isAwaited = isPatient || !queue.isSlow
      queue.add(sequence)
      all.push(sequence)
      if (isAwaited) awaited.push(sequence)
      else settle([sequence], outcomes)
    }
    return { all, awaited }
  }

  /**
   * Waits until all are over, but for none much longer than its endpoint usually takes. A large
   * batch takes longer by itself.
   */
  async #await(sequences: readonly Sequence[], outcomes: Answered[]): Promise<void> {
    const all = Promise.all(sequences.map(({ over }) => over))
    if (this.#options.late) {
      const endMs = performance.now() + this.#patienceMs
      const leastMs = LEAST_PATIENCE_MS + LEAST_PATIENCE_EACH_MS * sequences.length
      for (let restMs = this.#patienceMs; restMs > 0;) {
        const waitedFor = sequences.filter(({ isOver }) => !isOver)
        // What has not had its turn may have it until the patience for all is over.
        const untils = waitedFor.map((each) => each.waitsUntil(leastMs) ?? endMs)
        restMs = Math.max(...untils) - performance.now()
        await waitFor(all, restMs)
      }
    } else await all
    settle(sequences, outcomes)
  }

  #step({ at, delivery, target }: Placed, signal: AbortSignal): Step {
    const { id } = delivery.message
    const attemptId = uuid()
    const post = async () => {
      const answer = this.#poster.post(delivery, target, signal)
      this.#underWay.set(id, answer)
      const outcome = await answer
      this.#underWay.delete(id)
      return { ...outcome, attemptId }
    }
    return { at, delivery, attemptId, post }
  }

  async #late({ delivery }: Step, outcome: Answered): Promise<void> {
    // Called off by our own end: the message is due again by itself.
    if (this.#closed) return
    const written = (this.#options.late?.({ delivery, outcome }) ?? Promise.resolve()).catch(
      // Nor is anything lost if it cannot be written down: the message is sent again.
      () => undefined,
    )
    this.#writing.add(written)
    await written
    this.#writing.delete(written)
  }
}

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

function settle(sequences: readonly Sequence[], outcomes: Answered[]): void {
  for (const sequence of sequences) {
    for (const { at, outcome } of sequence.end()) outcomes[at] = outcome
  }
}

async function waitFor(work: Promise<unknown>, ms: number): Promise<void> {
  if (ms <= 0) return
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((done) => (timer = setTimeout(done, ms)))
  await Promise.race([work, enough])
  clearTimeout(timer)
}

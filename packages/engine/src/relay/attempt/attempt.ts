import { attemptWithin } from './bounded-attempt.ts'
import { Decrypter, KEY_PAUSE_MS } from './decrypter.ts'
import { createBreaker, type Breaker, type Permit, type OpenBreaker } from './breaker.ts'
import { addCount, type Counts } from './counts.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Upcasters } from '../../outbox/definition.ts'
import { ERROR_CODES, PosthornError, type Failure } from '../../errors.ts'
import type { DecryptedRow } from '../../encrypt/encrypt-rows.ts'
import type { PoolHandle } from '../../database/pool-handle.ts'
import type { Log } from '../../log.ts'
import { messageOf, toMessage, type Message } from '../../outbox/message.ts'
import type { Metrics } from '../../metrics.ts'
import { cut } from '../../storable.ts'
import {
  outcomeOfThrow,
  retryLater,
  unknown,
  wasTried,
  type Outcome,
} from '../../outbox/outcome.ts'
import { withDeliverySpan } from '../../outbox/trace.ts'
import type { Delivery, Destination, Transport } from '../../outbox/transport.ts'

export type Transports = Readonly<Record<string, Transport>>

/** What came of one row: an outcome, or an error that says the row cannot be read. */
export type Attempted =
  { readonly outcome: Outcome; readonly backoffMs: number } | { readonly unreadable: unknown }

/** Says what came of the row at this place. */
export type Report = (at: number, attempted: Attempted) => void

/** Upcasters may raise a payload by this many versions; more would be a circle. */
const MAX_VERSIONS = 1_000

/** Makes one outbox's attempts. It never throws: every failure is an outcome. */
export class Attempter {
  readonly #outbox: Outbox
  readonly #transports: Transports
  readonly #metrics: Metrics
  readonly #breakers = new Map<string, Breaker>()
  readonly #decrypter: Decrypter | undefined
  readonly #measured = new Set<string>()
  #answers: Answers = { answered: {}, unanswered: {} }
  #last: { readonly destination: Destination; readonly breaker: Breaker } | undefined

  constructor({ outbox, transports, metrics, handle, log }: AttempterOptions) {
    this.#outbox = outbox
    this.#transports = transports
    this.#metrics = metrics
    this.#decrypter = outbox.encrypt && new Decrypter({ outbox, handle, log })
  }

  /** For an outbox with a single destination: asked before a claim, so that nothing is claimed in vain. */
  permit(): Permit {
    const { destination } = this.#outbox
    const readable = this.#decrypter?.permit() ?? { kind: 'go' }
    if (readable.kind !== 'go') return readable
    return typeof destination === 'function' ? { kind: 'go' } : this.#breaker(destination).permit()
  }

  /** Whether the only destination is known to be broken. */
  get isBlocked(): boolean {
    const { destination } = this.#outbox
    if (this.#decrypter?.isBlocked) return true
    return typeof destination !== 'function' && this.#breaker(destination).isOpen
  }

  /** Destinations whose breaker is open. */
  get open(): OpenBreaker[] {
    return [...this.#breakers]
      .filter(([, breaker]) => breaker.isOpen)
      .map(([destination, { openMs, probeMs, cause }]) => ({
        destination,
        openMs: Math.round(openMs),
        probeMs: Math.round(probeMs),
        ...(cause && { cause: { code: cause.code, message: cut(cause.message, MAX_CAUSE) } }),
      }))
  }

  /** How often each destination answered and did not, since the last call. */
  takeAnswers(): Answers {
    const answers = this.#answers
    this.#answers = { answered: {}, unanswered: {} }
    return answers
  }

  /** Reports one result for each row, as soon as it is known. */
  async attempt(rows: readonly OutboxRow[], signal: AbortSignal, report: Report): Promise<void> {
    const byTransport = new Map<string, Placed[]>()
    const opened = await this.#decrypter?.open(rows, signal)
    for (const placed of this.#place(rows, opened, report)) {
      const { transport } = placed.delivery.destination
      const group = byTransport.get(transport)
      if (group) group.push(placed)
      else byTransport.set(transport, [placed])
    }
    await Promise.all(
      [...byTransport.values()].map((group) => this.#deliver(group, signal, report)),
    )
  }

  /** Whether every transport of a batch ends its messages one by one. */
  takesEach(rows: readonly OutboxRow[]): boolean {
    const { destination } = this.#outbox
    if (typeof destination !== 'function') return this.#isEach(destination)
    return rows.every((row) => {
      try {
        return this.#isEach(destination(row))
      } catch {
        return true
      }
    })
  }

  #isEach({ transport }: Destination): boolean {
    return this.#transports[transport]?.takes === 'each'
  }

  /** Rows as deliveries; what cannot be read or may not go now is reported at once. */
  #place(
    rows: readonly OutboxRow[],
    opened: readonly DecryptedRow[] | undefined,
    report: Report,
  ): Placed[] {
    const permits = new Map<string, Permit>()
    const { order } = this.#outbox
    const stopped = new Set<string>()
    const placed: Placed[] = []
    rows.forEach((row, at) => {
      // Behind one of its key that does not go out now, as a transport would have it.
      if (order && stopped.size > 0 && stopped.has(String(row[order.key]))) {
        report(at, { outcome: HELD_BACK, backoffMs: 0 })
        return
      }
      const delivery = this.#placeOne(row, opened?.[at] ?? { row }, permits)
      if ('message' in delivery) {
        placed.push({ at, delivery })
        return
      }
      report(at, delivery)
      if (order) stopped.add(String(row[order.key]))
    })
    return placed
  }

  #placeOne(
    row: OutboxRow,
    clear: DecryptedRow,
    permits: Map<string, Permit>,
  ): Delivery | Attempted {
    if (!('row' in clear)) return 'unreadable' in clear ? clear : notNow(clear.unavailable)
    try {
      const delivery = this.#deliveryOf(row, clear.row)
      if (typeof this.#outbox.destination !== 'function') return delivery
      const name = nameDestination(delivery.destination)
      const breaker = this.#breaker(delivery.destination)
      const permit = permits.get(name) ?? breaker.permit()
      permits.set(name, permit.kind === 'probe' ? { kind: 'wait', ms: PROBE_ANSWER_MS } : permit)
      if (permit.kind !== 'wait') return delivery
      return { outcome: breakerOpen(permit.ms, breaker.cause), backoffMs: permit.ms }
    } catch (error) {
      return { unreadable: error }
    }
  }

  /** Of a row as it stands in the table, and as it was written. */
  #deliveryOf(row: OutboxRow, clear: OutboxRow): Delivery {
    const { destination, upcasters, columns } = this.#outbox
    const init = messageOf(this.#outbox, clear)
    const traceparent = columns.traceparent && (row[columns.traceparent] as string | null)
    const message = upcast(upcasters, toMessage(traceparent ? { traceparent, ...init } : init))
    const sentAt = columns.sentAt && (row[columns.sentAt] as Date | null)
    const target = typeof destination === 'function' ? destination(row) : destination
    return sentAt ? { message, destination: target, sentAt } : { message, destination: target }
  }

  async #deliver(group: readonly Placed[], signal: AbortSignal, report: Report): Promise<void> {
    const batch = group.map(({ delivery }) => delivery)
    const started = performance.now()
    const open = new Set(group.keys())
    const end = (ended: readonly number[], outcomeAt: (i: number) => Outcome) => {
      const outcomes = ended.map(outcomeAt)
      const deliveries = ended.map((i) => batch[i] as Delivery)
      this.#learn(deliveries, outcomes, performance.now() - started)
      ended.forEach((i, n) => {
        open.delete(i)
        const outcome = outcomes[n] as Outcome
        const { at, delivery } = group[i] as Placed
        // What arrived waits for nothing.
        const isDelivered = outcome.kind === 'delivered'
        const backoffMs = isDelivered ? 0 : this.#breaker(delivery.destination).backoffMs()
        report(at, { outcome, backoffMs })
      })
    }
    const outcomes = await this.#outcomes(batch, signal, (i, outcome) => {
      if (open.has(i)) end([i], () => outcome)
    })
    end([...open], (i) => outcomes[i] ?? MISSING)
  }

  async #outcomes(
    batch: readonly Delivery[],
    signal: AbortSignal,
    report: (at: number, outcome: Outcome) => void,
  ): Promise<readonly Outcome[]> {
    const name = batch[0]?.destination.transport ?? ''
    const transport = this.#transports[name]
    if (!transport) {
      const missing = new PosthornError('TRANSPORT_MISSING', `no transport "${name}" is bound`)
      return batch.map(() => retryLater(missing, { charge: false }))
    }
    try {
      const ordered = this.#outbox.order !== undefined
      const bounds = { ms: this.#outbox.attemptMs, signal }
      const send = async (sent: readonly Delivery[], said: typeof report) => {
        const deliver = (aborted: AbortSignal) =>
          transport.deliver(sent, { ordered, signal: aborted, report: said })
        return (await attemptWithin(deliver, bounds)) ?? batch.map(() => TIMED_OUT)
      }
      const outcomes = await withDeliverySpan({ outbox: this.#outbox.name, report }, batch, send)
      return outcomes.length === batch.length ? outcomes : batch.map(() => MISSING)
    } catch (error) {
      return batch.map(() => outcomeOfThrow(error))
    }
  }

  /** Tells each destination's breaker how its messages fared, and the metrics with it. */
  #learn(batch: readonly Delivery[], outcomes: readonly Outcome[], ms: number): void {
    const tallies = new Map<Breaker, Tally>()
    let tally: Tally | undefined
    batch.forEach(({ destination }, i) => {
      // Most batches have one destination.
      if (tally?.destination !== destination)
        tally = tallyOf(tallies, this.#breaker(destination), destination)
      const outcome = outcomes[i] ?? MISSING
      if (!wasTried(outcome)) return
      // A refusal is an answer: the destination works.
      if (outcome.kind === 'delivered' || outcome.kind === 'refused') tally.delivered += 1
      // An attempt that is not charged, as one over a rate limit, is no failure of the destination.
      else if (outcome.kind === 'unknown' || outcome.charge || outcome.unreachable)
        countFailure(tally, outcome.failure)
      if (outcome.kind === 'retryLater' && outcome.unreachable) tally.unreachable = true
    })
    tallies.forEach((each, breaker) => {
      breaker.record(each)
      const name = nameDestination(each.destination)
      if (each.delivered > 0) addCount(this.#answers.answered, name, each.delivered)
      if (each.failed > 0) addCount(this.#answers.unanswered, name, each.failed)
      this.#measure(each, { ms, isOpen: breaker.isOpen })
    })
  }

  #measure(tally: Tally, { ms, isOpen }: { ms: number; isOpen: boolean }): void {
    const { label } = tally.destination
    const destination = label ?? this.#labelOf(nameDestination(tally.destination))
    const labels = { outbox: this.#outbox.name, destination }
    const { delivered, failed } = tally
    if (delivered > 0) this.#metrics.count('posthorn_answered_total', delivered, labels)
    if (failed > 0) this.#metrics.count('posthorn_unanswered_total', failed, labels)
    this.#metrics.observe('posthorn_delivery_ms', ms, labels)
    // Of many with one name it would say how the last one fared.
    if (label === undefined) this.#metrics.gauge('posthorn_breaker_open', isOpen ? 1 : 0, labels)
  }

  /** A series for each of a thousand customers' endpoints would be too many: the rest share one. */
  #labelOf(name: string): string {
    if (this.#measured.has(name)) return name
    if (this.#measured.size >= MAX_MEASURED) return 'other'
    this.#measured.add(name)
    return name
  }

  #breaker(destination: Destination): Breaker {
    // A batch for one destination asks for the same object over and over.
    if (this.#last?.destination === destination) return this.#last.breaker
    const breaker = this.#breakerNamed(nameDestination(destination))
    this.#last = { destination, breaker }
    return breaker
  }

  #breakerNamed(name: string): Breaker {
    const known = this.#breakers.get(name)
    if (known) return known
    // Endpoints come and go; what is forgotten here is learnt again by the next attempts.
    if (this.#breakers.size >= MAX_BREAKERS) this.#breakers.clear()
    const breaker = createBreaker(this.#outbox.breaker)
    this.#breakers.set(name, breaker)
    return breaker
  }
}

export interface AttempterOptions {
  readonly outbox: Outbox
  readonly transports: Transports
  readonly metrics: Metrics
  readonly handle: PoolHandle
  readonly log: Log
}

interface Placed {
  readonly at: number
  readonly delivery: Delivery
}

/** Messages by the `transport:topic` that took or refused them, or did not answer. */
export interface Answers {
  readonly answered: Counts
  readonly unanswered: Counts
}

/** What came of a batch at one destination. */
interface Tally {
  readonly destination: Destination
  delivered: number
  failed: number
  unreachable: boolean
  failure?: Failure
}

function tallyOf(tallies: Map<Breaker, Tally>, breaker: Breaker, destination: Destination): Tally {
  const known = tallies.get(breaker)
  if (known) return known
  const tally = { destination, delivered: 0, failed: 0, unreachable: false }
  tallies.set(breaker, tally)
  return tally
}

function countFailure(tally: Tally, failure: Failure): void {
  tally.failed += 1
  tally.failure = failure
}

/** Characters of a failure that a breaker's cause is said with. */
const MAX_CAUSE = 300

/** Destinations of one outbox with metrics of their own. */
const MAX_MEASURED = 100

/** Destinations remembered at once. */
const MAX_BREAKERS = 10_000

/** While a probe is on its way the rest of its batch waits this long for its answer. */
const PROBE_ANSWER_MS = 5_000

const TIMED_OUT: Outcome = unknown(new PosthornError('ATTEMPT_TIMEOUT'))

const MISSING: Outcome = retryLater(
  new PosthornError('TRANSPORT_BROKEN', 'the transport did not answer for every message'),
)

const HELD_BACK: Outcome = retryLater(new PosthornError('HELD_BACK'), { charge: false })

/** Not now, and no attempt of the message: another relay may have the key. */
function notNow(error: PosthornError): Attempted {
  const outcome = retryLater(error, { after: `${KEY_PAUSE_MS}ms`, charge: false })
  return { outcome, backoffMs: KEY_PAUSE_MS }
}

/** Says why the destination is not tried: its last failure is what a person must look at. */
function breakerOpen(ms: number, cause: Failure | undefined): Outcome {
  const after = `${Math.ceil(ms)}ms` as const
  const why =
    cause && `${cause.code}: ${cut(cause.message, MAX_CAUSE)}. ${ERROR_CODES.BREAKER_OPEN}`
  return retryLater(new PosthornError('BREAKER_OPEN', why), { after, charge: false })
}

/** How it is called in figures, alerts and lists. */
export function nameDestination({ transport, topic }: Destination): string {
  return `${transport}:${topic}`
}

/** Raises an old payload to the newest version that is known. */
function upcast(upcasters: Upcasters, message: Message): Message {
  const steps = upcasters[message.type]
  if (!steps) return message
  let { version, payload } = message
  for (let i = 0; i < MAX_VERSIONS; i += 1) {
    const step = steps[version]
    if (!step) return { ...message, version, payload }
    payload = step(payload as never)
    version += 1
  }
  throw new PosthornError('MESSAGE_UNREADABLE', `the upcasters of ${message.type} form a loop`)
}

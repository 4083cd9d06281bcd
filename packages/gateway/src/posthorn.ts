import {
  errorOf,
  exchange,
  field,
  idOf,
  isAnswer,
  isRefusal,
  unreadable,
  type Answer,
} from './exchange.ts'
import type {
  Charge,
  Declined,
  Failed,
  FoundCharge,
  FoundRefund,
  Gateway,
  GatewayError,
  Pending,
  Refused,
  SoughtCharge,
  Unknown,
} from './gateway.ts'

export interface PosthornGatewayOptions {
  /** Asked for at every request, since the simulated gateway has its address late. */
  origin(): string
  readonly apiKey: string
  /** Of each request. */
  readonly timeoutMs: number
}

/** Something to be done with a charge. */
interface Change {
  readonly verb: string
  readonly key: string
  readonly body: object
  /** Whether the charge shows that it was done. */
  isDone?(charge: FoundCharge): boolean
}

type Changed = { readonly kind: 'done'; readonly ref: string } | Refused | Unknown

/** Speaks the protocol of the simulator `gateway`: JSON, a key for each request, lookups by key. */
export function createPosthornGateway(options: PosthornGatewayOptions): Gateway {
  const { origin, apiKey, timeoutMs } = options

  const get = (path: string) =>
    exchange({
      ...{ method: 'GET', url: `${origin()}${path}`, signal: AbortSignal.timeout(timeoutMs) },
      headers: { authorization: `Bearer ${apiKey}` },
    })

  const post = (path: string, key: string, body: object) =>
    exchange({
      ...{ method: 'POST', url: `${origin()}${path}`, body: JSON.stringify(body) },
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        authorization: `Bearer ${apiKey}`,
        'idempotency-key': key,
        'content-type': 'application/json',
      },
    })

  /** What is listed under a key of ours; undefined if nothing is. */
  async function lookUp(list: string, key: string): Promise<unknown> {
    const answer = await get(`/${list}?idempotencyKey=${encodeURIComponent(key)}`)
    if (!isAnswer(answer)) return unknown(answer)
    const items = field(answer.body, 'items')
    if (answer.status !== 200 || !Array.isArray(items)) return unknown(errorOf(answer))
    if (items.length === 0) return undefined
    // A gateway that does not know the filter would list what is others'.
    const mine: unknown = items.find((item) => field(item, 'idempotencyKey') === key)
    return mine ?? unknown(errorOf(answer))
  }

  async function find({ key }: SoughtCharge): Promise<FoundCharge> {
    const found = await lookUp('charges', key)
    if (found === undefined) return { kind: 'none' }
    if (isUnknown(found)) return found
    const charge = chargeOf(found)
    const isOdd = charge.kind === 'charged' && !Number.isSafeInteger(charge.amount)
    return isOdd ? unreadable() : charge
  }

  async function findRefund({ key }: { readonly key: string }): Promise<FoundRefund> {
    const found = await lookUp('refunds', key)
    if (found === undefined) return { kind: 'none' }
    if (isUnknown(found)) return found
    const ref = idOf(found)
    if (ref === undefined) return unreadable()
    if (field(found, 'status') !== 'failed') return { kind: 'refunded', ref }
    return { kind: 'refused', error: { code: 'refund_failed', message: 'The bank refused it.' } }
  }

  /** Asks for money, to be taken or held. */
  async function place(
    { key, amount, currency, reference, paymentMethod, canAuthenticate }: Charge,
    capture: 'automatic' | 'manual',
  ): Promise<Exclude<FoundCharge, { kind: 'none' }> | Failed> {
    const method = paymentMethod === undefined ? {} : { paymentMethod }
    const manner = capture === 'manual' ? { capture } : {}
    const customer = canAuthenticate === true ? { canAuthenticate } : {}
    const order = { amount, currency, reference, ...method, ...manner, ...customer }
    const answer = await post('/charges', key, order)
    if (!isAnswer(answer)) return unknown(answer)
    const { status, body } = answer
    if (isSuccess(answer)) return chargeOf(body)
    if (status === 402) {
      return { kind: 'declined', ref: idOf(field(body, 'charge')), error: errorOf(answer) }
    }
    if (isRefusal(status)) return { kind: 'failed', error: errorOf(answer) }
    if (status < 500) return unknown(errorOf(answer))
    const found = await find({ key, amount, currency, reference })
    return found.kind === 'none' ? { kind: 'failed', error: errorOf(answer) } : found
  }

  /** Asks for something to be done with a charge; the reference of what was made of it. */
  async function change(chargeRef: string, order: Change): Promise<Changed> {
    const { verb, key, body, isDone: hasHappened } = order
    const answer = await post(`/charges/${encodeURIComponent(chargeRef)}/${verb}`, key, body)
    if (!isAnswer(answer)) return unknown(answer)
    const ref = idOf(answer.body)
    if (isSuccess(answer) && ref !== undefined) return { kind: 'done', ref }
    if (answer.status >= 500 && hasHappened) {
      return look(chargeRef, { isDone: hasHappened, error: errorOf(answer) })
    }
    // A 404 of the gateway itself has its error in the body; one of a proxy has not.
    const isUnknownCharge = answer.status === 404 && field(answer.body, 'error') !== undefined
    const isFinal = isRefusal(answer.status) || isUnknownCharge
    return { kind: isFinal ? 'refused' : 'unknown', error: errorOf(answer) }
  }

  /** Where the gateway breaks, the charge itself says what came of a change. */
  async function look(
    chargeRef: string,
    { isDone, error }: { isDone(charge: FoundCharge): boolean; readonly error: GatewayError },
  ): Promise<Changed> {
    const answer = await get(`/charges/${encodeURIComponent(chargeRef)}`)
    if (!isAnswer(answer) || answer.status !== 200) return unknown(error)
    const charge = chargeOf(answer.body)
    if (isDone(charge)) return { kind: 'done', ref: chargeRef }
    return charge.kind === 'authorised' ? { kind: 'refused', error } : unknown(error)
  }

  return {
    find,
    findRefund,
    async charge(charge) {
      const placed = await place(charge, 'automatic')
      if (placed.kind === 'charged') return { kind: 'charged', ref: placed.ref }
      return placed.kind === 'authorised' || placed.kind === 'voided' ? unreadable() : placed
    },
    async authorise(charge) {
      const placed = await place(charge, 'manual')
      return placed.kind === 'charged' || placed.kind === 'voided' ? unreadable() : placed
    },
    async capture({ key, chargeRef, amount }) {
      const captured = await change(chargeRef, {
        ...{ verb: 'captures', key, body: { amount } },
        isDone: (charge) => charge.kind === 'charged' && charge.amount === amount,
      })
      return captured.kind === 'done' ? { kind: 'captured', ref: captured.ref } : captured
    },
    async void({ key, chargeRef }) {
      const voided = await change(chargeRef, {
        ...{ verb: 'void', key, body: {} },
        isDone: (charge) => charge.kind === 'voided',
      })
      return voided.kind === 'done' ? { kind: 'voided', ref: voided.ref } : voided
    },
    async refund({ key, chargeRef, amount }) {
      const body = amount === undefined ? {} : { amount }
      const refunded = await change(chargeRef, { verb: 'refunds', key, body })
      return refunded.kind === 'done' ? { kind: 'refunded', ref: refunded.ref } : refunded
    },
  }
}

function isSuccess({ status }: Answer): boolean {
  return status === 200 || status === 201
}

function unknown(error: GatewayError): Unknown {
  return { kind: 'unknown', error }
}

function isUnknown(value: unknown): value is Unknown {
  return field(value, 'kind') === 'unknown'
}

function chargeOf(item: unknown): Exclude<FoundCharge, { kind: 'none' }> {
  const ref = idOf(item)
  const status = field(item, 'status')
  if (status === 'declined') return declined(ref)
  if (ref === undefined) return unreadable()
  if (status === 'succeeded') return { kind: 'charged', ref, amount: takenOf(item) }
  if (status === 'authorised') return { kind: 'authorised', ref }
  if (status === 'pending') return { kind: 'pending', ref }
  if (status === 'requires_action') return waitingFor(ref, field(item, 'nextAction'))
  return status === 'voided' || status === 'expired' ? { kind: 'voided', ref } : unreadable()
}

/** A charge whose customer has to authenticate. */
function waitingFor(ref: string, action: unknown): Pending | Unknown {
  const [url, clientSecret] = [field(action, 'url'), field(action, 'clientSecret')]
  if (typeof url === 'string')
    return { kind: 'pending', ref, nextAction: { type: 'redirect', url } }
  if (typeof clientSecret !== 'string') return unreadable()
  return { kind: 'pending', ref, nextAction: { type: 'sdk', clientSecret } }
}

function declined(ref: string | undefined): Declined {
  const error = { code: 'card_declined', message: 'The card was declined.' }
  return { kind: 'declined', ref, error }
}

/** Less than the whole where less than the whole was captured. */
function takenOf(item: unknown): number {
  return Number(field(item, 'capturedAmount') ?? field(item, 'amount'))
}

import { refused, retryLater, type Delivery } from '@posthorn/engine'
import { Agent } from 'undici'
import { httpBinding, toCloudEvent } from '../cloudevents.ts'
import { TransportError } from '../errors.ts'
import { exchange, type Exchange } from './exchange.ts'
import type { Guard } from './guard.ts'
import { outcomeOf, type Answered } from './outcome.ts'
import { Signer } from './signature.ts'

/** Where a delivery goes, and how it is signed. */
export interface WebhookTarget {
  readonly url: string
  /** `whsec_…`, newest first; all of them sign. None: the request is not signed. */
  readonly secrets: readonly string[]
  /** Sent as it stands, in place of the message's payload: JSON that came from elsewhere. */
  readonly body?: string
  /**
   * Its place among the deliveries of its key: these go one after the other, each only after the one
   * before. Left out: it goes by itself.
   */
  readonly place?: number
  /** True: the operator's own address, which may be a private one. */
  readonly trusted?: boolean
  /** The receiver's own headers; what is kept of the exchange has their names only. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the whole exchange; default the transport's. */
  readonly timeoutMs?: number
  /** Until the next attempt, if this one fails and the receiver names no time; default the policy's. */
  readonly retryInMs?: number
}

/** In place of a value that is not kept. */
const MASKED = '••••••'

export interface PosterOptions {
  readonly guard: Guard
  readonly source: string
  readonly timeoutMs: number
}

/** Connections kept alive to one origin; several endpoints may share it. */
const CONNECTIONS = 256

/** Signs and posts, through connections that only go where they may. It never throws. */
export class Poster {
  readonly #options: PosterOptions
  readonly #guarded: Agent
  readonly #open: Agent
  readonly #signer = new Signer()

  constructor(options: PosterOptions) {
    this.#options = options
    const kept = { connections: CONNECTIONS, pipelining: 1, keepAliveTimeout: 10_000 }
    this.#guarded = new Agent({ ...kept, connect: options.guard.connector })
    // Apart: a connection that was let through must not serve a request that would not be.
    this.#open = new Agent({ ...kept, connect: { allowH2: false, lookup: options.guard.lookup } })
  }

  async post({ message }: Delivery, target: WebhookTarget, signal: AbortSignal): Promise<Answered> {
    const { url, secrets, trusted, body: given, headers: own } = target
    const { guard, source } = this.#options
    const timeoutMs = target.timeoutMs ?? this.#options.timeoutMs
    try {
      const { headers: described, body: written } = toCloudEvent(message, httpBinding, source)
      const body = given ?? written
      const shown = {
        ...described,
        'user-agent': 'Posthorn-Webhooks/1',
        ...(secrets.length > 0 && this.#signer.sign({ id: message.id, body, secrets })),
      }
      const headers = own === undefined ? shown : { ...own, ...shown }
      const refusal = trusted === true ? undefined : guard.refusal(url)
      const kept = own === undefined ? shown : { ...maskHeaders(own), ...shown }
      if (refusal !== undefined) return outcomeOf(refuseExchange({ url, headers: kept }, refusal))
      const isOpen = trusted === true || guard.isExempt(url)
      const agent = isOpen ? this.#open : this.#guarded
      const located = isOpen ? undefined : guard.locate(url, message.tenant)
      const request = { url, headers, body, timeoutMs, signal, located }
      const send = () => exchange(agent, request)
      const exchanged = await (isOpen ? send() : guard.onBehalfOf(message.tenant, send))
      const outcome = outcomeOf(own === undefined ? exchanged : { ...exchanged, headers: kept })
      return target.retryInMs === undefined ? outcome : withRetry(outcome, target.retryInMs)
    } catch (error) {
      return error instanceof TransportError ? refused(error) : retryLater(error)
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#open.destroy()])
  }
}

/** A failure that counts waits as the receiver's own policy says, unless its answer named a time. */
function withRetry(outcome: Answered, retryInMs: number): Answered {
  const isOpen = outcome.kind === 'retryLater' && outcome.charge && outcome.afterMs === undefined
  return isOpen ? { ...outcome, afterMs: retryInMs } : outcome
}

function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, MASKED]))
}

/** An exchange that did not even begin. */
function refuseExchange(request: Pick<Exchange, 'url' | 'headers'>, message: string): Exchange {
  return {
    ...request,
    startedAt: new Date(),
    durationMs: 0,
    response: undefined,
    error: { class: 'blocked', message },
  }
}

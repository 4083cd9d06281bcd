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
}

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
    this.#open = new Agent({ ...kept, connect: { allowH2: false } })
  }

  async post(
    { message }: Delivery,
    { url, secrets, trusted, body: given }: WebhookTarget,
    signal: AbortSignal,
  ): Promise<Answered> {
    const { guard, source, timeoutMs } = this.#options
    try {
      const { headers: described, body: written } = toCloudEvent(message, httpBinding, source)
      const body = given ?? written
      const headers = {
        ...described,
        'user-agent': 'Posthorn-Webhooks/1',
        ...(secrets.length > 0 && this.#signer.sign({ id: message.id, body, secrets })),
      }
      const refusal = trusted === true ? undefined : guard.refusal(url)
      if (refusal !== undefined) return outcomeOf(refuseExchange({ url, headers }, refusal))
      const agent = trusted === true || guard.isExempt(url) ? this.#open : this.#guarded
      return outcomeOf(await exchange(agent, { url, headers, body, timeoutMs, signal }))
    } catch (error) {
      return error instanceof TransportError ? refused(error) : retryLater(error)
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#open.destroy()])
  }
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

import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import type { World } from './world.ts'

/** How a gateway tells of what happened; `POST /sim/{name}/webhooks` changes it. */
export const WebhookHabits = Type.Object(
  {
    delayMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 60_000, description: 'Delay of webhooks; default 200' }),
    ),
    copies: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: 'Copies of each webhook; default 1' }),
    ),
    order: Type.Optional(
      Type.Enum(['kept', 'reversed'], {
        description:
          '`kept` (default), or `reversed`: events within `delayMs` are sent newest first',
      }),
    ),
  },
  { additionalProperties: false },
)
export type WebhookHabits = Static<typeof WebhookHabits>

const HABITS: Required<WebhookHabits> = { delayMs: 200, copies: 1, order: 'kept' }

/** Waits after an attempt that was not answered with 2xx, in ms; then it gives up. */
const RETRIES_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
const PATIENCE_MS = 10_000

/** What a gateway has to tell. */
export interface Webhook {
  readonly id: string
  readonly body: string
}

interface Planned extends Webhook {
  readonly copies: number
}

/** A webhook at the moment of an attempt. */
export interface Unsigned extends Webhook {
  /** In seconds since 1970. */
  readonly timestamp: number
}

export interface SenderOptions {
  /** Where they go, asked for at every attempt; undefined where nobody is told. */
  url(): string | undefined
  /** The headers of the gateway's signature scheme. */
  sign(webhook: Unsigned): Readonly<Record<string, string>>
}

/** Tells the merchant's server of events, again and again until it says 2xx. */
export class WebhookSender {
  readonly #world: World
  readonly #options: SenderOptions
  #habits = HABITS
  #gathered: Planned[] = []

  constructor(world: World, options: SenderOptions) {
    this.#world = world
    this.#options = options
  }

  get habits(): Required<WebhookHabits> {
    return this.#habits
  }

  change(habits: WebhookHabits): void {
    this.#habits = { ...HABITS, ...habits }
  }

  forget(): void {
    this.#habits = HABITS
    this.#gathered = []
  }

  /** Sends it in a while, by the habits of now. */
  send(webhook: Webhook): void {
    const planned = { ...webhook, copies: this.#habits.copies }
    const { delayMs, order } = this.#habits
    if (order === 'kept') {
      return this.#world.later(delayMs, () => this.#sendCopies(planned))
    }
    this.#gathered.push(planned)
    if (this.#gathered.length > 1) return
    this.#world.later(delayMs, async () => {
      for (const each of this.#gathered.splice(0).reverse()) await this.#sendCopies(each)
    })
  }

  async #sendCopies(webhook: Planned): Promise<void> {
    for (let copy = 0; copy < webhook.copies; copy += 1) await this.#attempt(webhook, 0)
  }

  async #attempt(webhook: Webhook, attempt: number): Promise<void> {
    if (await this.#isTaken(webhook)) return
    const wait = RETRIES_MS[attempt]
    if (wait !== undefined) this.#world.later(wait, () => this.#attempt(webhook, attempt + 1))
  }

  async #isTaken({ id, body }: Webhook): Promise<boolean> {
    const { sign, url } = this.#options
    const timestamp = Math.floor(Date.now() / 1_000)
    const to = url()
    if (to === undefined) return true
    try {
      const response = await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sign({ id, body, timestamp }) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#world.ended, AbortSignal.timeout(PATIENCE_MS)]),
      })
      await response.body?.cancel()
      return response.ok
    } catch {
      return false
    }
  }
}

/** How webhooks go out, to be seen and changed below `/sim/{name}`. */
export function webhookControls(app: FastifyInstance, sender: WebhookSender): void {
  app.get('/webhooks', { schema: { summary: 'How webhooks are sent' } }, async () => sender.habits)
  app.post<{ Body: WebhookHabits }>(
    '/webhooks',
    { schema: { summary: 'Send webhooks late, twice or out of order', body: WebhookHabits } },
    async (request) => {
      sender.change(request.body)
      return sender.habits
    },
  )
}

/** Where a simulator's own server is: by the loopback, on any address it listens on. */
export function ownOrigin(server: FastifyInstance['server'] | undefined): string {
  if (!server) throw new TypeError('The simulator has no server yet.')
  const { address, family, port } = server.address() as AddressInfo
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

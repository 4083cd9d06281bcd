import { createHash, createHmac } from 'node:crypto'
import type { World } from '@posthorn/simulators'
import type { GraphError } from './errors.ts'
import { type Static, Type } from 'typebox'

/** A message that was accepted. */
export interface Accepted {
  readonly id: string
  readonly phoneNumberId: string
  readonly recipient: string
  readonly opaque: string | undefined
  /** Set if it will turn out that it cannot be delivered. */
  readonly error?: GraphError
}

/** Where the reports of a number go. */
export interface Receiver {
  readonly url: string
  readonly appSecret: string
}

/** Reports wait so long for others that they can travel with. */
const GATHER_MS = 100
const MOST_IN_ONE = 500

/** Waits before a report that was not taken is made again; Meta goes on for a week. */
const AGAIN_MS = [200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

type Status = Readonly<Record<string, unknown>>

/** Makes the status webhooks of accepted messages: signed, in batches, again if not taken. */
export class Reports {
  readonly #world: World
  readonly #receiverOf: (phoneNumberId: string) => Receiver
  readonly #gathered = new Map<string, Status[]>()

  constructor(world: World, receiverOf: (phoneNumberId: string) => Receiver) {
    this.#world = world
    this.#receiverOf = receiverOf
  }

  /** Reports what becomes of a message, by and by. */
  follow(message: Accepted, behaviour: Behaviour): void {
    const words: ReportWord[] = message.error ? ['failed'] : ['sent', 'delivered', 'read']
    for (const { word, afterMs } of timetable(words, behaviour)) {
      this.#world.later(afterMs, () => this.report(message, word, behaviour))
    }
  }

  report(message: Accepted, word: ReportWord, { echo }: Pick<Behaviour, 'echo'>): void {
    const { phoneNumberId } = message
    const waiting = this.#gathered.get(phoneNumberId)
    const status = statusOf(message, word, { echo })
    if (waiting) return void waiting.push(status)
    this.#gathered.set(phoneNumberId, [status])
    this.#world.later(GATHER_MS, () => this.#send(phoneNumberId))
  }

  /** Posts the value of a webhook at once, and again if that is not taken. */
  async deliver(phoneNumberId: string, value: object): Promise<void> {
    const bytes = toAsciiJson(webhookBody(phoneNumberId, value))
    await this.#post({ bytes, phoneNumberId }, 0)
  }

  forget(): void {
    this.#gathered.clear()
  }

  async #send(phoneNumberId: string): Promise<void> {
    const statuses = this.#gathered.get(phoneNumberId) ?? []
    this.#gathered.delete(phoneNumberId)
    const posts: Promise<void>[] = []
    for (let at = 0; at < statuses.length; at += MOST_IN_ONE) {
      posts.push(this.deliver(phoneNumberId, { statuses: statuses.slice(at, at + MOST_IN_ONE) }))
    }
    await Promise.all(posts)
  }

  async #post(webhook: Webhook, tries: number): Promise<void> {
    if (await this.#isTaken(webhook)) return
    const waitMs = AGAIN_MS[tries]
    if (waitMs !== undefined) this.#world.later(waitMs, () => this.#post(webhook, tries + 1))
  }

  async #isTaken({ bytes, phoneNumberId }: Webhook): Promise<boolean> {
    const { log, ended } = this.#world
    try {
      const { url, appSecret } = this.#receiverOf(phoneNumberId)
      const signal = AbortSignal.any([ended, AbortSignal.timeout(10_000)])
      const headers = {
        'content-type': 'application/json',
        'x-hub-signature-256': signatureOf(bytes, appSecret),
      }
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: new Uint8Array(bytes),
        signal,
      })
      await response.arrayBuffer()
      if (!response.ok)
        log.warn({ status: response.status }, 'WhatsApp webhook refused; it will be sent again')
      return response.ok
    } catch (error) {
      if (!ended.aborted)
        log.warn({ err: error }, 'WhatsApp webhook did not arrive; it will be sent again')
      return ended.aborted
    }
  }
}

interface Webhook {
  readonly bytes: Buffer
  readonly phoneNumberId: string
}

export function signatureOf(bytes: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
}

/** JSON as Meta writes it: what is not ASCII is escaped, in lower case. */
export function toAsciiJson(value: unknown): Buffer {
  const text = JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return Buffer.from(text)
}

function webhookBody(phoneNumberId: string, content: object): unknown {
  const metadata = { display_phone_number: '15550783881', phone_number_id: phoneNumberId }
  const value = { messaging_product: 'whatsapp', metadata, ...content }
  const changes = [{ field: 'messages', value }]
  return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes }] }
}

function statusOf(message: Accepted, word: ReportWord, { echo }: { echo: boolean }): Status {
  const { id, recipient, opaque, error } = message
  const conversation = createHash('md5').update(recipient).digest('hex')
  const isPriced = word === 'sent' || word === 'delivered'
  return {
    id,
    status: word,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    recipient_id: recipient,
    ...(echo && opaque !== undefined && { biz_opaque_callback_data: opaque }),
    ...(isPriced && {
      conversation: { id: conversation, origin: { type: 'utility' } },
      pricing: { billable: true, pricing_model: 'PMP', category: 'utility' },
    }),
    ...(word === 'failed' && { errors: [webhookError(error)] }),
  }
}

function webhookError(error: GraphError | undefined): Status {
  const { code = 131000, message = 'Something went wrong' } = error ?? {}
  const details = error?.details ?? `${message}: das Gerät ist nicht erreichbar.`
  const href = '/docs/whatsapp/cloud-api/support/error-codes/'
  return { code, title: message, message, error_data: { details }, href }
}

export const REPORTS = ['sent', 'delivered', 'read', 'failed'] as const
type ReportWord = (typeof REPORTS)[number]

/** How the simulator behaves beside its faults; set by `PUT /sim/whatsapp/behaviour`. */
export const Behaviour = Type.Object(
  {
    perSecond: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Messages that one number may send per second; 0: no limit. Default 80',
    }),
    paceMs: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description:
        'Time until `sent`; `delivered` follows after twice, `read` after four times as long. Default 400',
    }),
    drop: Type.Array(Type.Enum([...REPORTS]), { description: 'Reports that are never sent' }),
    repeat: Type.Integer({
      minimum: 1,
      maximum: 10,
      description: 'Copies of each webhook; default 1',
    }),
    reorder: Type.Boolean({
      description: 'Whether reports arrive in reverse order; default false',
    }),
    echo: Type.Boolean({
      description: 'Whether reports include biz_opaque_callback_data; default true',
    }),
  },
  { additionalProperties: false },
)
export type Behaviour = Static<typeof Behaviour>

export const USUAL: Behaviour = {
  perSecond: 80,
  paceMs: 400,
  drop: [],
  repeat: 1,
  reorder: false,
  echo: true,
}

/** When each report of a message is made, in ms after it was accepted. */
export function timetable(
  words: readonly ReportWord[],
  { paceMs, drop, repeat, reorder }: Behaviour,
): { readonly word: ReportWord; readonly afterMs: number }[] {
  const spread = 0.8 + Math.random() * 0.4
  const times = words.map((_, i) => paceMs * 2 ** i * spread)
  const order = reorder ? words.toReversed() : words
  return order.flatMap((word, i) =>
    drop.includes(word)
      ? []
      : Array.from({ length: repeat }, (_, n) => ({ word, afterMs: (times[i] ?? 0) + n })),
  )
}

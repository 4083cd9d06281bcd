import { createHash } from 'node:crypto'
import {
  type Duration,
  delivered,
  refused,
  retryLater,
  unknown,
  unreachable,
} from '@posthorn/engine'
import { sleep } from '@posthorn/system'
import type { FieldError } from '@posthorn/http'
import { isPossiblePhoneNumber } from 'libphonenumber-js'
import { type TSchema, Type } from 'typebox'
import { Agent } from 'undici'
import type { NewMessage } from '../message.ts'
import { type GraphReply, postMessage } from './graph-api.ts'
import { Pacer, Pauses } from './pauses.ts'
import { DEFAULT_LANGUAGE, type TemplatePayload } from '../templates/fill.ts'
import {
  type Answered,
  type Outgoing,
  type Provider,
  type SendingAccount,
  payloadErrors,
  stopped,
} from './provider.ts'
import { classOf } from './whatsapp-errors.ts'

export interface WhatsAppOptions {
  /** Where the Graph API is; asked at every request, since a simulator's address comes late. */
  apiUrl(): string
  readonly version: string
  /** The account of the settings. */
  readonly own: SendingAccount
  /** Messages a second for each number; 0 for no limit of ours. */
  readonly perSecond: number
  readonly timeoutMs: number
}

/** Longest wait for a turn or the end of a pause with the message in hand; else it is put back. */
const IN_HAND_MS = 1_000

/** First pause of a number, and of a number and a recipient: Meta takes one message in 6 s of those. */
const SENDER_PAUSE_MS = 1_000
const PAIR_PAUSE_MS = 6_000

const Parameter = Type.String({
  minLength: 1,
  maxLength: 1_024,
  // Meta refuses these inside a template.
  pattern: '^(?!.*( {5}|[\\n\\r\\t]))[\\s\\S]*$',
})
const Media = Type.Object(
  {
    link: Type.Optional(Type.String({ maxLength: 2_000, pattern: '^https?://\\S+$' })),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    filename: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
)
/** The form that a payload is meant to have: so what is wrong is named by its own field. */
function formFor(payload: Readonly<Record<string, unknown>>): TSchema {
  const isNamed = isObject(payload['parameters'])
  return Type.Object(
    {
      language: Type.Optional(Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2,4})?$' })),
      parameters: Type.Optional(
        isNamed ? Type.Record(Type.String(), Parameter) : Type.Array(Parameter, { maxItems: 100 }),
      ),
      header: Type.Optional(isObject(payload['header']) ? Media : Parameter),
      buttons: Type.Optional(Type.Array(Parameter, { maxItems: 10 })),
    },
    { additionalProperties: false },
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sends template messages through Meta's Cloud API. */
export class WhatsAppCloudApiProvider implements Provider {
  readonly channel = 'whatsapp'
  readonly own: SendingAccount
  readonly #options: WhatsAppOptions
  readonly #pacer: Pacer
  readonly #pauses = new Pauses()
  readonly #agent: Agent

  constructor(options: WhatsAppOptions) {
    const { perSecond, timeoutMs } = options
    this.own = options.own
    this.#options = options
    this.#pacer = new Pacer({ perSecond, mostMs: IN_HAND_MS })
    this.#agent = new Agent({
      connections: 64,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: 1_048_576,
    })
  }

  check({ to, templateCode, payloadJson }: NewMessage): FieldError[] {
    const isNumber = /^\+[1-9]\d{6,14}$/.test(to) && isPossiblePhoneNumber(to)
    const reason = 'must be a phone number in E.164 form, such as +16505551234'
    return [
      ...(isNumber ? [] : [{ field: 'to', reason }]),
      ...(templateCode === undefined ? [{ field: 'templateCode', reason: 'is required' }] : []),
      ...payloadErrors(formFor(payloadJson), payloadJson),
    ]
  }

  senderFor(to: string, { numberIds }: Pick<SendingAccount, 'numberIds'>): string {
    // By the highest weight: with one number more, only the recipients that go to it change.
    const weighted = numberIds.map((id) => [weigh(id, to), id] as const)
    const [, sender] = weighted.reduce((best, next) => (next[0] > best[0] ? next : best), [-1, ''])
    return sender
  }

  async send(message: Outgoing, account: SendingAccount, signal: AbortSignal): Promise<Answered> {
    const sender = this.senderFor(message.to, account)
    const pair = `${sender} ${message.to}`
    const postponed = await this.#untilMayGo(sender, pair, signal)
    if (postponed) return postponed
    const { apiUrl, version, timeoutMs } = this.#options
    const reply = await postMessage({
      url: `${apiUrl()}/${version}/${sender}/messages`,
      accessToken: account.accessToken,
      body: toMetaMessage(message),
      dispatcher: this.#agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const outcome = this.#outcomeOf(reply, { account, sender, pair })
    return { ...outcome, response: reply.response ?? null }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  /** Waits for a turn that is near; what would wait long goes back and lets others pass. */
  async #untilMayGo(
    sender: string,
    pair: string,
    signal: AbortSignal,
  ): Promise<Answered | undefined> {
    const pausedMs = Math.max(this.#pauses.leftMs(sender), this.#pauses.leftMs(pair))
    if (pausedMs > IN_HAND_MS) return untriedAnswer('SENDER_PAUSED', pausedMs)
    if (pausedMs > 0) await sleep(pausedMs, signal)
    const { waitMs, taken } = this.#pacer.turn(sender)
    if (!taken) return untriedAnswer('SENDER_PACED', waitMs)
    if (waitMs > 0) await sleep(waitMs, signal)
    return signal.aborted ? untriedAnswer('SENDER_PACED', 0) : undefined
  }

  #outcomeOf(reply: GraphReply, way: Way): Answered {
    const { sender, pair } = way
    switch (reply.kind) {
      case 'accepted':
        this.#pauses.end(sender)
        this.#pauses.end(pair)
        return delivered({ id: reply.messageId })
      case 'unreachable':
        return unreachable(reply.error)
      case 'silent':
        return unknown(reply.error)
      case 'failed':
        return this.#failure(reply, way)
    }
  }

  #failure(
    reply: Extract<GraphReply, { kind: 'failed' }>,
    { account, sender, pair }: Way,
  ): Answered {
    const { status, code, error, retryAfterMs: askedMs } = reply
    // Some gateways in between say it by the status alone.
    const isLimit = code === undefined && status === 429
    const errorClass = isLimit ? 'limit' : classOf(code ?? -1)
    switch (errorClass) {
      case 'refused':
        return refused(error)
      case 'limit': {
        const ms = this.#pauses.pause(sender, { askedMs, firstMs: SENDER_PAUSE_MS })
        return retryLater(error, { after: inMs(ms), charge: false, tried: true })
      }
      case 'pair-limit': {
        const ms = this.#pauses.pause(pair, { askedMs, firstMs: PAIR_PAUSE_MS })
        return retryLater(error, { after: inMs(ms), charge: false, tried: true })
      }
      case 'account':
        return stopped(error, { account, numberId: '' })
      case 'number':
        return stopped(error, { account, numberId: sender })
      case 'retry':
        // The server broke while it had the message: it may have sent it all the same.
        return (status >= 500 ? unknown : retryLater)(error, { after: inMs(askedMs) })
    }
  }
}

/** By which account and number a message goes, and with its recipient. */
interface Way {
  readonly account: SendingAccount
  readonly sender: string
  readonly pair: string
}

function weigh(phoneNumberId: string, to: string): number {
  return createHash('sha256').update(`${phoneNumberId} ${to}`).digest().readUInt32BE(0)
}

/** The message as Meta wants it; which message and attempt it is comes back with every status. */
function toMetaMessage(message: Outgoing): unknown {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // A person who hides the number is written to by Meta's id.
    ...(message.to.startsWith('+') ? { to: message.to } : { recipient: message.to }),
    ...(message.conversationId === null ? templateOf(message) : textOf(message)),
    biz_opaque_callback_data: callbackData(message),
  }
}

function textOf({ payload }: Outgoing): object {
  const { text } = payload as { text: string }
  return { type: 'text', text: { body: text, preview_url: false } }
}

function templateOf(message: Outgoing): object {
  const { templateCode, payload } = message
  const { language = DEFAULT_LANGUAGE } = payload as TemplatePayload
  const components = componentsOf(message)
  return {
    type: 'template',
    template: {
      name: templateCode,
      language: { code: language },
      ...(components.length > 0 && { components }),
    },
  }
}

/** Of a template that is not registered: texts for its body. */
function componentsOf({ components, payload }: Outgoing): readonly unknown[] {
  if (Array.isArray(components)) return components
  const { parameters = [] } = payload as { parameters?: readonly string[] }
  if (parameters.length === 0) return []
  return [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }]
}

/** Read again by `statuses/report.ts`. */
function callbackData({ id, attemptNo }: Pick<Outgoing, 'id' | 'attemptNo'>): string {
  return `${id}:${attemptNo}`
}

function untriedAnswer(code: 'SENDER_PAUSED' | 'SENDER_PACED', ms: number): Answered {
  const message = 'The number has sent as much as it may for the moment.'
  return retryLater({ code, message }, { after: inMs(ms), charge: false })
}

function inMs<Ms extends number | undefined>(ms: Ms): Ms extends number ? Duration : undefined {
  const duration = ms === undefined ? undefined : `${Math.ceil(ms)}ms`
  return duration as Ms extends number ? Duration : undefined
}

import { type Static, type TObject, Type } from 'typebox'
import { Value } from 'typebox/value'
import { storableJson } from '@posthorn/system'
import { valueAt } from '../providers/graph-api.ts'

/** What a person wrote, as the provider reports it. */
export interface Inbound {
  /** The provider's id: the same message has the same one, however often it is reported. */
  readonly providerMessageId: string
  /** Our own number that it was written to. */
  readonly numberId: string
  /** The person's number, as `+16505551234`; null where the person hides it behind a username. */
  readonly from: string | null
  /** Meta's id of the person, as `US.13491208655302741918`; null where none was given. */
  readonly userId: string | null
  readonly contactName: string | null
  /** The provider's word: `text`, `button`, `image`, `reaction`, `unsupported`. */
  readonly kind: string
  /** What a person reads of it: the text, the title of a button, a caption. */
  readonly text: string | null
  /** Of what may be a word by which consent is withdrawn; null for pictures and reactions. */
  readonly word: string | null
  readonly content: unknown
  /** The provider's id of the message that it answers or reacts to. */
  readonly answers: string | null
  /** In whole seconds; null where the provider gave no time. */
  readonly sentAt: Date | null
}

/** The parts of Meta's body with messages in them; all else may be as it likes. */
export const InboundValue = {
  metadata: Type.Optional(Type.Unknown()),
  contacts: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10_000 })),
  messages: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 10_000 })),
}

/** One `value` of a webhook. */
export type WebhookValue = Static<TObject<typeof InboundValue>>

const Id = Type.String({ minLength: 1, maxLength: 500 })
const Words = Type.String({ maxLength: 100_000 })
const Metadata = Type.Object({ phone_number_id: Type.String({ pattern: '^[0-9]{1,30}$' }) })
const Name = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Contact = Type.Object({
  wa_id: Type.Optional(Type.String()),
  user_id: Type.Optional(Type.String()),
  profile: Type.Object({ name: Name, username: Name }),
})
const Message = Type.Object({
  id: Id,
  from: Type.Optional(Type.Unknown()),
  from_user_id: Type.Optional(Type.Unknown()),
  type: Type.String({ pattern: '^[a-z_]{1,40}$' }),
  timestamp: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
})

/** Where the words of each kind stand; of the rest the content is kept, and there is no text. */
const WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  text: [['text', 'body']],
  button: [['button', 'text']],
  interactive: [
    ['interactive', 'button_reply', 'title'],
    ['interactive', 'list_reply', 'title'],
  ],
  image: [['image', 'caption']],
  video: [['video', 'caption']],
  document: [
    ['document', 'caption'],
    ['document', 'filename'],
  ],
  reaction: [['reaction', 'emoji']],
  location: [
    ['location', 'name'],
    ['location', 'address'],
  ],
  system: [['system', 'body']],
}

/** Kinds whose text a person wrote or chose as an answer. */
const SPOKEN: ReadonlySet<string> = new Set(['text', 'button', 'interactive'])

/** More than any message of Meta's has; a larger one is kept without its content. */
const MOST_BYTES = 65_536

/** Every message of a webhook, each once; what is none is left out, and how many those were. */
export function readInbound(values: readonly WebhookValue[]): {
  messages: Inbound[]
  others: number
} {
  const messages = new Map<string, Inbound>()
  let others = 0
  for (const value of values) {
    for (const each of value.messages ?? []) {
      const message = inboundOf(each, value)
      if (!message) others += 1
      else if (!messages.has(message.providerMessageId)) {
        messages.set(message.providerMessageId, message)
      }
    }
  }
  return { messages: [...messages.values()], others }
}

function inboundOf(message: unknown, { metadata, contacts = [] }: WebhookValue) {
  if (!Value.Check(Message, message) || !Value.Check(Metadata, metadata)) return undefined
  const { id, type: kind } = message
  const from = /^[0-9]{5,20}$/.test(String(message.from)) ? String(message.from) : null
  const userId = userIdIn(message.from_user_id) ?? userIdIn(message.from)
  const answers = answeredBy(message)
  // By one of the three it is known who wrote.
  if (from === null && userId === null && answers === null) return undefined
  const text = textOf(message)
  return {
    providerMessageId: id,
    numberId: metadata.phone_number_id,
    from: from === null ? null : `+${from}`,
    userId,
    contactName: nameOf({ from, userId }, contacts),
    kind,
    text,
    word: SPOKEN.has(kind) ? text : null,
    content: contentOf(message),
    answers,
    sentAt: timeOf(message.timestamp),
  } satisfies Inbound
}

function textOf(message: Static<typeof Message>): string | null {
  const paths = Object.hasOwn(WORDS, message.type) ? WORDS[message.type] : undefined
  for (const path of paths ?? []) {
    const words = valueAt(message, path)
    if (Value.Check(Words, words) && words !== '') return words
  }
  return null
}

/** Our number that a webhook's value is about. */
export function numberIn(value: unknown): string | undefined {
  const { metadata } = value as WebhookValue
  return Value.Check(Metadata, metadata) ? metadata.phone_number_id : undefined
}

/** Meta's id of a person within a business: the country, and letters and digits. */
export function userIdIn(value: unknown): string | null {
  return /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(String(value)) ? String(value) : null
}

function nameOf(
  { from, userId }: { from: string | null; userId: string | null },
  contacts: readonly unknown[],
): string | null {
  const contact = contacts.find(
    (each): each is Static<typeof Contact> =>
      Value.Check(Contact, each) &&
      ((from !== null && each.wa_id === from) || (userId !== null && each.user_id === userId)),
  )
  const { name, username } = contact?.profile ?? {}
  return (name ?? (username === undefined ? undefined : `@${username}`))?.slice(0, 200) ?? null
}

/** Without the number, which has a column of its own. */
function contentOf(message: Static<typeof Message>): unknown {
  const { from: _, ...content } = message
  const json = storableJson(content)
  return json.length <= MOST_BYTES ? (JSON.parse(json) as unknown) : { tooLarge: json.length }
}

function answeredBy(message: Static<typeof Message>): string | null {
  const id = valueAt(message, ['context', 'id']) ?? valueAt(message, ['reaction', 'message_id'])
  return Value.Check(Id, id) ? id : null
}

function timeOf(timestamp: string | number | undefined): Date | null {
  const seconds = Number(timestamp)
  const isTime = /^\d{1,10}$/.test(String(timestamp)) && seconds > 0
  return isTime ? new Date(seconds * 1_000) : null
}

/** Words by which a person says whether messages may come, as configured. */
export interface Keywords {
  readonly optOut: ReadonlySet<string>
  readonly optIn: ReadonlySet<string>
}

/** Reads lists with commas between the words. */
export function keywordsOf(lists: { optOut: string; optIn: string }): Keywords {
  const setOf = (list: string) =>
    new Set(
      list
        .split(',')
        .map(plainWord)
        .filter((word) => word !== ''),
    )
  return { optOut: setOf(lists.optOut), optIn: setOf(lists.optIn) }
}

/** No such word is longer. */
const LONGEST = 100

/** What a text says about consent; only if it is such a word and nothing else. */
export function meaningOf(text: string, { optOut, optIn }: Keywords): 'out' | 'in' | undefined {
  if (text.length > LONGEST) return undefined
  const word = plainWord(text)
  if (optOut.has(word)) return 'out'
  return optIn.has(word) ? 'in' : undefined
}

/** Without accents, in upper case, without spaces and punctuation around it. */
function plainWord(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase()
  return plain.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

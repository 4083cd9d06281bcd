import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'

/** A number that people write to who were not written to before: the server's default one. */
const FIRST_NUMBER = '106540352242922'

/** Recipients that are remembered. */
const MOST_KEPT = 100_000

/** After a person's message, free text may be sent to it for so long. */
const SESSION_MS = 24 * 3_600_000

/** What a person writes; set by `POST /sim/whatsapp/inbound`. */
export const PersonsMessage = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        pattern: '^\\+?[0-9]{7,15}$',
        description: 'Phone number of the person; default: hidden',
      }),
    ),
    userId: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{2}\\.[A-Za-z0-9]{1,128}$',
        description: "Meta's id of the person, such as US.13491208655302741918; default: none",
      }),
    ),
    kind: Type.Optional(
      Type.Enum(['text', 'button', 'list', 'image', 'reaction', 'unsupported'], {
        description: 'Type of the message; default text',
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: 'Text, title of a button, caption or emoji; default Hello',
      }),
    ),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Name of the person; default Ada' }),
    ),
    to: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,30}$',
        description:
          'Id of the number that receives the message; default: the one that last sent to this person',
      }),
    ),
    replyTo: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Id of the answered message (`wamid.…`); default: none',
      }),
    ),
    repeat: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'Copies of the webhook; default 1' }),
    ),
  },
  { additionalProperties: false },
)
export type PersonsMessage = Static<typeof PersonsMessage>

/** The people of one simulated WhatsApp: who wrote when, and to whom. */
export class People {
  readonly #wroteAt = new Map<string, Date>()
  readonly #writtenBy = new Map<string, string>()

  /** One of our numbers wrote to a person. */
  noteWrittenTo(recipient: string, numberId: string): void {
    this.#writtenBy.set(digitsOf(recipient), numberId)
    const [oldest] = this.#writtenBy.keys()
    if (this.#writtenBy.size > MOST_KEPT && oldest !== undefined) this.#writtenBy.delete(oldest)
  }

  /** A person writes: the number that it writes to, and the webhook's value. */
  write(message: PersonsMessage, now: Date): { id: string; numberId: string; value: object } {
    const { userId, from: number } = message
    const from = number === undefined ? undefined : digitsOf(number)
    const person = from ?? userId ?? ''
    const numberId = message.to ?? this.#writtenBy.get(person) ?? FIRST_NUMBER
    this.#wroteAt.set(`${numberId} ${person}`, now)
    const id = `wamid.${randomBytes(24).toString('base64url')}`
    const { kind = 'text', name = 'Ada', replyTo } = message
    const contacts = [{ profile: { name }, wa_id: from, user_id: userId }]
    const sent = {
      ...(replyTo !== undefined &&
        kind !== 'reaction' && { context: { from: numberId, id: replyTo } }),
      ...{ from, from_user_id: userId },
      id,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      ...contentOf(kind, message),
    }
    return { id, numberId, value: { contacts, messages: [sent] } }
  }

  /** Whether free text may go from this number to this person. */
  isInSession(recipient: string, numberId: string, now: Date): boolean {
    const wroteAt = this.#wroteAt.get(`${numberId} ${digitsOf(recipient)}`)
    return wroteAt !== undefined && now.getTime() - wroteAt.getTime() < SESSION_MS
  }

  forget(): void {
    this.#wroteAt.clear()
    this.#writtenBy.clear()
  }
}

/** The parts of a message that its kind has. */
function contentOf(
  kind: NonNullable<PersonsMessage['kind']>,
  { text = 'Hello', replyTo = '' }: PersonsMessage,
): Record<string, unknown> {
  switch (kind) {
    case 'text':
      return { type: 'text', text: { body: text } }
    case 'button':
      return { type: 'button', button: { payload: text, text } }
    case 'list':
      return {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: text, title: text } },
      }
    case 'image': {
      const image = { mime_type: 'image/jpeg', sha256: randomBytes(32).toString('base64') }
      return { type: 'image', image: { ...image, id: '2754859441498128', caption: text } }
    }
    case 'reaction':
      return { type: 'reaction', reaction: { message_id: replyTo, emoji: text } }
    case 'unsupported': {
      const title = 'Message type unknown'
      const errors = [{ code: 131_051, title, message: title }]
      return { type: 'unsupported', errors }
    }
  }
}

function digitsOf(number: string): string {
  return number.replace('+', '')
}

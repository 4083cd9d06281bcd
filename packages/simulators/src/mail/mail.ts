import PostalMime from 'postal-mime'
import type { Outcome } from '../http/exchange.ts'
import { sha256 } from '../http/kept-body.ts'

/** Who a mail is from and for by the SMTP commands, which is what counts, not the headers. */
export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
}

/** What a mail says. */
export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  readonly attachments: readonly { name: string; size: number; sha256: string }[]
}

/** A mail in the mailbox. */
export interface Mail extends Letter {
  readonly id: number
  readonly at: string
  readonly from: string
  /** Addresses with commas between them. */
  readonly to: string
  readonly outcome: Outcome
}

const MOST_CHARACTERS = 256 * 1024

/** Reads a message of RFC 5322. What is longer than 256 Ki characters is cut, with a mark. */
export async function readLetter(bytes: Uint8Array): Promise<Letter> {
  const email = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer' })
  return {
    subject: cut(email.subject ?? ''),
    // The last line break belongs to the protocol.
    text: cut((email.text ?? '').replace(/\r?\n$/, '')),
    html: cut((email.html ?? '').replace(/\r?\n$/, '')),
    headers: Object.fromEntries(email.headers.map(({ key, value }) => [key, cut(value)])),
    attachments: email.attachments.map(({ filename, content }) => {
      const file = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
      return { name: filename ?? '', size: file.byteLength, sha256: sha256(file) }
    }),
  }
}

/** About what a letter takes in memory. */
export function weightOf(letter: Letter): number {
  return 2 * JSON.stringify(letter).length
}

/** What stays of a letter when the mailbox has no room for it any more. */
export function emptyMail(mail: Mail): Mail {
  return { ...mail, text: '[forgotten: the mailbox is full]', html: '', headers: {} }
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const more = text.length - MOST_CHARACTERS
  return `${text.slice(0, MOST_CHARACTERS)}\n[cut: ${more} more characters]`
}

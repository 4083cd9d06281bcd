import PostalMime from 'postal-mime'
import type { Outcome } from '../http/exchange.ts'
import { sha256 } from '../http/kept-body.ts'
import type { Fault } from '../fault.ts'
import { Journal } from '../journal.ts'
import type { World } from '../world.ts'
import type { Receive, SmtpReply } from './smtp.ts'

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

const TAKEN: SmtpReply = { status: 250, text: 'Kept' }
const LATER = 451

/** A mail in its place in the journal, which may have to let its content go. */
interface Kept {
  readonly id: number
  mail: Mail
}

/** The mails that were taken. One that was refused is not in it, unless the fault had an effect. */
export class Mailbox {
  readonly #journal = new Journal<Kept>()

  forget(): void {
    this.#journal.forget()
  }

  *newest(before?: number): Generator<Mail> {
    for (const { mail } of this.#journal.newest(before)) yield mail
  }

  /** What the SMTP server does with a message. */
  receiver(world: World): Receive {
    return async (arrival) => {
      const fault = world.nextFault()
      if (fault?.mode === 'slow' && !fault.effect) await world.waiting.delay(fault.delayMs)
      const isTaken = !fault || fault.effect || fault.mode === 'slow'
      if (isTaken) await this.#keep(arrival, fault)
      if (!fault) return TAKEN
      switch (fault.mode) {
        case 'slow':
          if (fault.effect) await world.waiting.delay(fault.delayMs)
          return TAKEN
        case 'error':
          return { status: fault.status ?? LATER, text: failureText(fault) }
        case 'drop':
          arrival.socket.destroy()
          return undefined
        case 'timeout':
          await world.waiting.hang(arrival.socket)
          return undefined
      }
    }
  }

  async #keep(arrival: Parameters<Receive>[0], fault: Fault | undefined): Promise<void> {
    const letter = await readLetter(arrival.bytes)
    const kept = this.#journal.add((id) => ({
      id,
      mail: {
        id,
        at: new Date().toISOString(),
        from: arrival.from,
        to: arrival.to.join(', '),
        ...letter,
        outcome: fault?.mode ?? 'ok',
      },
    }))
    this.#journal.weigh(kept, {
      bytes: weightOf(letter),
      drop: () => void (kept.mail = emptyMail(kept.mail)),
    })
  }
}

function failureText({ code }: Fault): string {
  const text = 'The simulator was set to fail'
  return code === undefined ? text : `${code} ${text}`
}

import type { Fault } from '../fault.ts'
import { Journal } from '../journal.ts'
import type { World } from '../world.ts'
import { emptyMail, readLetter, weightOf, type Mail } from './mail.ts'
import type { Receive, SmtpReply } from './smtp.ts'

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

import type { FieldError } from '@posthorn/http'
import { delivered, refused, retryLater, unknown, unreachable } from '@posthorn/engine'
import { createTransport, type Transporter } from 'nodemailer'
import { Type } from 'typebox'
import type { NewMessage } from '../message.ts'
import {
  payloadErrors,
  stopped,
  type Answered,
  type Outgoing,
  type Provider,
  type SendingAccount,
} from './provider.ts'

export interface EmailOptions {
  /** Where mail goes, as `smtp://host:25`; undefined while there is no server. */
  smtpUrl(): Promise<string | undefined>
  readonly from: string
  readonly timeoutMs: number
  /** The account of the settings: its number is the sender's address. */
  readonly own: SendingAccount
}

const Payload = Type.Object(
  {
    // A line break would inject a header.
    subject: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\r\\n]*$' }),
    text: Type.String({ minLength: 1, maxLength: 100_000 }),
  },
  { additionalProperties: false },
)

/** Plain mail. It ends as SENT: there are no delivery reports. */
export class EmailProvider implements Provider {
  readonly channel = 'email'
  readonly own: SendingAccount
  readonly #options: EmailOptions
  #open: { readonly url: string; readonly transporter: Transporter } | undefined

  constructor(options: EmailOptions) {
    this.own = options.own
    this.#options = options
  }

  check({ to, payloadJson }: NewMessage): FieldError[] {
    const isAddress = /^[^\s@<>,;"()]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(to)
    const reason = 'must be an e-mail address'
    return [...(isAddress ? [] : [{ field: 'to', reason }]), ...payloadErrors(Payload, payloadJson)]
  }

  senderFor(): string {
    return this.#options.from
  }

  async send({ id, to, payload }: Outgoing, account: SendingAccount): Promise<Answered> {
    const url = await this.#options.smtpUrl()
    if (url === undefined) return unreachable({ message: 'no mail server is known' })
    const { subject, text } = payload as { subject: string; text: string }
    const mail = { from: this.#options.from, to, subject, text, messageId: `<${id}@posthorn>` }
    try {
      const info = (await this.#transporter(url).sendMail(mail)) as { response?: string }
      return { ...delivered({ id: mail.messageId }), response: { response: info.response ?? null } }
    } catch (error) {
      return failure(error, account)
    }
  }

  async close(): Promise<void> {
    this.#open?.transporter.close()
  }

  #transporter(url: string): Transporter {
    if (this.#open?.url === url) return this.#open.transporter
    const { timeoutMs } = this.#options
    const timeouts = {
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    }
    const transporter: Transporter = createTransport({ url, ...timeouts })
    this.#open = { url, transporter }
    return transporter
  }
}

interface SmtpError extends Error {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}

function failure(error: unknown, account: SendingAccount): Answered {
  const { code, command, responseCode, message } = error as SmtpError
  if (responseCode !== undefined) {
    const answer = { code: `SMTP_${responseCode}`, message }
    // The server does not take our password: that is not the message's fault.
    if (code === 'EAUTH') return stopped(answer, { account, numberId: '' })
    return responseCode >= 500 ? refused(answer) : retryLater(answer)
  }
  // A connection that was never made has carried nothing.
  return command === 'CONN' ? unreachable(error) : unknown(error)
}

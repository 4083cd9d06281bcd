import { DeliveryError } from '@posthorn/engine'
import { createTransport } from 'nodemailer'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type, type Static } from 'typebox'

/** Stands for the simulated mailbox. */
export const SIMULATED_MAILBOX = 'simulated'

/** The settings of systems that write mails; spread into a system's own. */
export const mailSettings = {
  SMTP_URL: Type.String({
    description:
      'the mail server, as smtp(s)://user:password@host:587; in development the simulated mailbox',
    pattern: `^(${SIMULATED_MAILBOX}|smtps?://.+)$`,
    default: SIMULATED_MAILBOX,
    production: 'required',
    secret: true,
  }),
  MAIL_FROM: Type.String({
    description: 'the sender of mails, as Name <address>',
    pattern: '^[^\\r\\n]*@[A-Za-z0-9.-]+>?$',
    default: 'Family Hub <invitations@family-hub.test>',
    production: 'required',
  }),
}

const Settings = Type.Object(mailSettings)

/** A mail to one person. */
export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for every copy of it, so that a second one can be recognised. */
  readonly messageId: string
}

/** What became of a letter. What may go better another time is thrown instead. */
export type Mailed =
  { readonly kind: 'sent' } | { readonly kind: 'refused'; readonly reason: string }

export interface Mailer {
  send(letter: Letter): Promise<Mailed>
}

export interface MailerOptions {
  readonly settings: Static<typeof Settings>
  /** Where a simulator listens, if it is up. */
  simulatorAddress(name: string): Promise<string | undefined>
}

/** For each step of the exchange, and for the whole: others wait for it. */
const STEP_MS = 5_000
const WHOLE_MS = 20_000

/** Nodemailer's codes for an answer about this letter, not about the server or the login. */
const ABOUT_THE_LETTER: readonly unknown[] = ['EENVELOPE', 'EMESSAGE']

/** Sends by SMTP, on a connection of its own for each letter: nothing is left to close. */
export function createMailer({ settings, simulatorAddress }: MailerOptions): Mailer {
  const { SMTP_URL: url, MAIL_FROM: from } = settings

  /** Asked for each letter, since a simulated mailbox moves. */
  async function address(): Promise<string> {
    const found = url === SIMULATED_MAILBOX ? await simulatorAddress('mail') : url
    if (found !== undefined) return found
    const why = 'no simulated mailbox is up yet'
    throw new DeliveryError('MAIL_SERVER_AWAY', why, { unreachable: true })
  }

  return {
    async send({ to, ...letter }) {
      const transport = createTransport({
        url: await address(),
        connectionTimeout: STEP_MS,
        greetingTimeout: STEP_MS,
        socketTimeout: STEP_MS,
        dnsTimeout: STEP_MS,
        // The letter is text of ours: nothing in it may make the library read files or addresses.
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        await inTime(transport.sendMail({ from, to: { name: '', address: to }, ...letter }))
        return { kind: 'sent' }
      } catch (error) {
        const reason = refusalIn(error)
        if (reason === undefined) throw isAway(error) ? away(error) : error
        return { kind: 'refused', reason }
      } finally {
        transport.close()
      }
    },
  }
}

/** The domain of an address: it vouches for the ids of letters. */
export function domainOf(from: string): string {
  return /@([a-z0-9.-]+)>?\s*$/i.exec(from)?.[1] ?? 'localhost'
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it stands in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** A server that says a little something now and then would never be silent for a step. */
async function inTime(sending: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  const deadline = sleep(WHOLE_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`the mail server took longer than ${WHOLE_MS} ms`)
  })
  try {
    await Promise.race([sending, deadline])
  } finally {
    deadline.catch(() => undefined)
    late.abort()
  }
}

/** Whether the server was not reached or did not let us in: that says nothing about the letter. */
function isAway(error: unknown): boolean {
  const { code, command } = error as Record<string, unknown>
  return command === 'CONN' || code === 'EDNS' || code === 'EAUTH'
}

function away(cause: unknown): DeliveryError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new DeliveryError('MAIL_SERVER_AWAY', why, { cause, unreachable: true })
}

/** The server's words, if it will never take this letter. */
function refusalIn(error: unknown): string | undefined {
  const { code, responseCode, response } = error as Record<string, unknown>
  const isForEver = typeof responseCode === 'number' && responseCode >= 500
  return isForEver && ABOUT_THE_LETTER.includes(code) ? String(response) : undefined
}

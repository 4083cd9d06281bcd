import { DeliveryError } from '@posthorn/engine'
import { Semaphore } from '@posthorn/engine/internal'
import { createTransport } from 'nodemailer'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type, type Static } from 'typebox'

/** Stands for the simulated mailbox. */
export const SIMULATED_MAILBOX = 'simulated'

/** The settings of systems that write mails; spread into a system's own. */
export const mailSettings = {
  SMTP_URL: Type.String({
    description:
      'mail server, smtp(s)://user:password@host:587; in development the simulated mailbox',
    pattern: `^(${SIMULATED_MAILBOX}|smtps?://.+)$`,
    default: SIMULATED_MAILBOX,
    production: 'required',
    secret: true,
  }),
  MAIL_FROM: Type.String({
    description: 'sender of mails, Name <address>',
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
  /** For a letter as a whole. Default 20 s. */
  readonly timeoutMs?: number
}

/** For each step of the exchange. */
const STEP_MS = 5_000

/** Nodemailer's codes for an answer about this letter, not about the server or the login. */
const ABOUT_THE_LETTER: readonly unknown[] = ['EENVELOPE', 'EMESSAGE']

/** Letters under way at once, each on a connection of its own. */
const AT_ONCE = 5

/** Then a connection is closed: nothing is left that would have to be closed at the end. */
const IDLE_MS = 1_000

/** Sends by SMTP, on connections that are kept from one letter to the next. */
export function createMailer(options: MailerOptions): Mailer {
  const { settings, simulatorAddress, timeoutMs = 20_000 } = options
  const { SMTP_URL: url, MAIL_FROM: from } = settings
  const places = new Semaphore(AT_ONCE)
  let open: { readonly address: string; readonly connections: Connections } | undefined

  /** Asked for each letter, since a simulated mailbox moves. */
  async function findAddress(): Promise<string> {
    const found = url === SIMULATED_MAILBOX ? await simulatorAddress('mail') : url
    if (found !== undefined) return found
    const why = 'no simulated mailbox is up yet'
    throw new DeliveryError('MAIL_SERVER_AWAY', why, { unreachable: true })
  }

  function connectionsTo(address: string): Connections {
    if (open?.address === address) return open.connections
    open?.connections.close()
    open = { address, connections: openConnections(address) }
    return open.connections
  }

  /** A letter that takes too long holds a connection: the others end on theirs, new ones begin anew. */
  function abandon(connections: Connections): void {
    if (open?.connections === connections) open = undefined
    connections.close()
    setTimeout(() => connections.close({ force: true }), timeoutMs).unref()
  }

  return {
    send: ({ to, ...letter }) =>
      places.run(async () => {
        const connections = connectionsTo(await findAddress())
        try {
          const sending = connections.sendMail({ from, to: { name: '', address: to }, ...letter })
          await inTime(sending, { timeoutMs, onLate: () => abandon(connections) })
          return { kind: 'sent' }
        } catch (error) {
          const reason = refusalIn(error)
          if (reason === undefined) throw isAway(error) ? away(error) : error
          return { kind: 'refused', reason }
        }
      }),
  }
}

type Connections = ReturnType<typeof openConnections>

function openConnections(address: string) {
  return createTransport({
    url: address,
    pool: true,
    maxConnections: AT_ONCE,
    idleTimeout: IDLE_MS,
    // Only a letter of which nothing was sent goes out on another connection by itself.
    maxRequeues: 1,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    // The letter is text of ours: nothing in it may make the library read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
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
async function inTime(
  sending: Promise<unknown>,
  { timeoutMs, onLate }: { readonly timeoutMs: number; readonly onLate: () => void },
): Promise<void> {
  const late = new AbortController()
  const deadline = sleep(timeoutMs, undefined, { signal: late.signal }).then(() => {
    onLate()
    throw new Error(`the mail server took longer than ${timeoutMs} ms`)
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
  const isLost = command === 'CONN' || code === 'ECONNECTION'
  return isLost || code === 'EDNS' || code === 'EAUTH'
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

import {
  PosthornError,
  schedule,
  transaction,
  type Log,
  type Message,
  type Transaction,
} from '@posthorn/engine'
import { defineInbox, once } from '@posthorn/engine/inbox'
import { raiseAlert } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Mailer } from '../mailer.ts'
import type { SystemConsumer } from '../system.ts'
import { toUuid } from './commands.ts'
import { MEMBER_INVITED, type Invited } from './events.ts'
import { hashOf } from './invitation-token.ts'
import { letterOf, linkTo } from './letter.ts'
import { TOPIC, TRANSPORT } from './outbox.ts'
import { selectFamily, selectInvitation } from './queries.ts'

/** Invitations that were mailed. */
export const inbox = defineInbox({ table: 'families.consumer_inbox', retention: '90d' })

const GROUP = 'invitation-mails'

/** Longer than servers that turn strangers away at first; an invitation is good for days. */
const RETRY = schedule(['30s', '2m', '10m', '30m', '2h', '6h'])

/** Each holds a connection of the pool while the mail server talks. */
const AT_ONCE = 2

/** What a mail needs of the event; others may write to the exchange too. */
const Letterable = Type.Object({
  invitationId: Type.Object({ value: Type.String() }),
  token: Type.Object({ value: Type.String() }),
  isResend: Type.Boolean(),
})

export interface InvitationMailsOptions {
  readonly pool: Pool
  readonly mailer: Mailer
  readonly from: string
  /** The page that takes the token. */
  page(): string
  readonly log: Log
}

/**
 * Turns invitations into mails. The inbox is used in its `once` form although a mail is an outside
 * call: SMTP knows no idempotency key, so only the lock of the inbox row keeps repeats that arrive
 * together from becoming two mails. A process that dies between the server's "250" and the commit
 * sends a second one, with the same Message-ID. A throw is the transport's to repeat.
 */
export function invitationMails(options: InvitationMailsOptions): SystemConsumer {
  const { pool, log } = options
  const limited = limitTo(AT_ONCE)
  return {
    transport: TRANSPORT,
    topic: TOPIC,
    group: GROUP,
    retry: RETRY,
    async handle(message) {
      if (message.type !== MEMBER_INVITED) return
      const id = toUuid(message.id)
      if (id === undefined || !Value.Check(Letterable, message.payload)) {
        return log.warn({ id: message.id }, 'invitation skipped: it cannot be mailed')
      }
      const receipt = { inbox, consumer: GROUP, id }
      try {
        const mailed = await limited(() =>
          transaction(pool, (tx) => once(tx, receipt, () => mail(tx, message, options))),
        )
        if (mailed.first) log.info({ id, outcome: mailed.result }, 'invitation handled')
      } catch (error) {
        // So old an invitation cannot be accepted any more: no mail is sent.
        if (!(error instanceof PosthornError && error.code === 'INBOX_EXPIRED')) throw error
        log.warn({ id }, 'invitation skipped: older than the retention of the inbox')
      }
    },
  }
}

async function mail(
  tx: Transaction,
  { id: eventId, payload, tenant }: Message,
  { mailer, from, page }: InvitationMailsOptions,
): Promise<'sent' | 'refused' | 'stale'> {
  const { invitationId, token = { value: '' }, isResend } = payload as Invited
  const uuid = toUuid(invitationId.value)
  const invitation = uuid === undefined ? undefined : await selectInvitation(tx, uuid)
  const family = invitation && (await selectFamily(tx, invitation.familyId))
  // Revoked, accepted, expired, or sent again with another token since: this link opens nothing.
  const opens = invitation?.status === 'PENDING' && invitation.tokenHash.equals(hashOf(token.value))
  if (!family || !opens) return 'stale'
  const { email, expiresAt } = invitation
  const link = linkTo(page(), token.value)
  const letter = letterOf({
    ...{ eventId, email, familyName: family.name, expiresAt, isResend, link, from },
  })
  const mailed = await mailer.send(letter)
  if (mailed.kind === 'refused') {
    await raiseAlert(tx, {
      source: 'families.invitation-mails',
      subject: invitation.id,
      ...(tenant !== undefined && { tenant }),
      code: 'MAIL_REFUSED',
      detail: mailed.reason,
    })
  }
  return mailed.kind
}

/** Lets so many pieces of work run at once; the others wait their turn. */
function limitTo(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

import { PosthornError, schedule, type Log, type Message } from '@posthorn/engine'
import { around, defineInbox } from '@posthorn/engine/inbox'
import { raiseAlert } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Mailed, Mailer } from '../mailer.ts'
import { createOneByOne } from '../one-by-one.ts'
import type { Sealing } from '../sealing.ts'
import type { SystemConsumer } from '../system.ts'
import { toUuid } from './commands.ts'
import { MEMBER_INVITED, type Invited } from './events.ts'
import { hashOf, tokenOf } from './invitation-token.ts'
import { letterOf, linkTo } from './letter.ts'
import { TOPIC, TRANSPORT } from './outbox.ts'
import { selectFamily, selectInvitation } from './queries.ts'

/** Invitations that were mailed. */
export const inbox = defineInbox({ table: 'families.consumer_inbox', retention: '90d' })

const GROUP = 'invitation-mails'

/** Longer than servers that turn strangers away at first; an invitation is good for days. */
const RETRY = schedule(['30s', '2m', '10m', '30m', '2h', '6h'])

/** What a mail needs of the event; others may write to the exchange too. */
const Letterable = Type.Object({
  invitationId: Type.Object({ value: Type.String() }),
  token: Type.Object({ value: Type.String() }),
  isResend: Type.Boolean(),
})

export interface InvitationMailsOptions {
  readonly pool: Pool
  readonly mailer: Mailer
  readonly sealing: Sealing
  readonly from: string
  /** The page that takes the token. */
  page(): string
  readonly log: Log
}

/**
 * Turns invitations into mails, with no transaction open while the mail server talks. SMTP knows no
 * idempotency key: repeats that arrive together in one process wait for each other, so that the
 * inbox is asked in between; a process that dies between the server's "250" and the commit sends a
 * second mail, with the same Message-ID. A throw is the transport's to repeat.
 */
export function invitationMails(options: InvitationMailsOptions): SystemConsumer {
  const { pool, log } = options
  const oneByOne = createOneByOne()
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
      const { tenant } = message
      try {
        const handled = await oneByOne(id, () =>
          around(pool, receipt, {
            call: () => mail({ ...message, id }, options),
            async outcome(tx, mailed) {
              if (mailed.kind === 'refused') {
                await raiseAlert(tx, {
                  source: 'families.invitation-mails',
                  subject: mailed.invitationId,
                  ...(tenant !== undefined && { tenant }),
                  code: 'MAIL_REFUSED',
                  detail: mailed.reason,
                })
              }
              return mailed.kind
            },
          }),
        )
        if (handled.first) log.info({ id, outcome: handled.result }, 'invitation handled')
      } catch (error) {
        // So old an invitation cannot be accepted any more: no mail is sent.
        if (!(error instanceof PosthornError && error.code === 'INBOX_EXPIRED')) throw error
        log.warn({ id }, 'invitation skipped: older than the retention of the inbox')
      }
    },
  }
}

type Handled = (Mailed & { readonly invitationId: string }) | { readonly kind: 'stale' }

async function mail(
  { id: eventId, payload }: Message,
  { pool, mailer, sealing, from, page }: InvitationMailsOptions,
): Promise<Handled> {
  const { invitationId, token: carried = { value: '' }, isResend } = payload as Invited
  const uuid = toUuid(invitationId.value)
  const invitation = uuid === undefined ? undefined : await selectInvitation(pool, uuid)
  const family = invitation && (await selectFamily(pool, invitation.familyId))
  if (!family || invitation.status !== 'PENDING') return { kind: 'stale' }
  const token = tokenOf(carried.value, { id: eventId, sealing })
  // Sent again with another token since: this link opens nothing.
  if (!invitation.tokenHash.equals(hashOf(token))) return { kind: 'stale' }
  const { email, expiresAt } = invitation
  const link = linkTo(page(), token)
  const letter = letterOf({
    ...{ eventId, email, familyName: family.name, expiresAt, isResend, link, from },
  })
  return { ...(await mailer.send(letter)), invitationId: invitation.id }
}

import { PosthornError, schedule, type Log, type Message } from '@posthorn/engine'
import { around, defineInbox } from '@posthorn/engine/inbox'
import { raiseAlert } from '@posthorn/operate'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { createOneByOne, type Sealing, type SystemConsumer } from '@posthorn/system'
import {
  domainOf,
  escapeHtml,
  type Letter,
  type Mailed,
  type Mailer,
} from '@posthorn/system/mailer'
import { toUuid } from './commands.ts'
import { MEMBER_INVITED, type Invited } from './events.ts'
import { hashOf, tokenOf } from './invitation.ts'
import { TOPIC, TRANSPORT } from './outbox.ts'
import { selectFamily, selectInvitation } from './queries.ts'

interface InvitationToTell {
  readonly eventId: string
  readonly email: string
  readonly familyName: string
  readonly expiresAt: Date
  readonly isResend: boolean
  /** With the token. */
  readonly link: string
  /** Address of the sender; its domain vouches for the id. */
  readonly from: string
}

function letterOf(invitation: InvitationToTell): Letter {
  const { eventId, email, familyName, link, isResend } = invitation
  const subject = `${isResend ? 'Reminder: you' : 'You'} are invited to the family ${familyName}`
  const until = `The invitation can be accepted until ${dayOf(invitation.expiresAt)}.`
  const intro = `You are invited to join the family ${familyName}. To accept, open this link:`
  const otherwise = 'If you did not expect this, do nothing.'
  return {
    to: email,
    subject,
    text: [intro, link, until, otherwise].join('\n\n'),
    html: [
      `<p>You are invited to join the family <b>${escapeHtml(familyName)}</b>.</p>`,
      `<p><a href="${escapeHtml(link)}">Accept the invitation</a></p>`,
      `<p>${until} ${otherwise}</p>`,
    ].join('\n'),
    messageId: `<${eventId}@${domainOf(invitation.from)}>`,
  }
}

/** The address of the page, with the token added. */
function linkTo(page: string, token: string): string {
  const url = new URL(page)
  url.searchParams.set('token', token)
  return url.href
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

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
                  ...{ code: 'MAIL_REFUSED', occurrence: id },
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

import { domainOf, escapeHtml, type Letter } from '../mailer.ts'

export interface InvitationToTell {
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

export function letterOf(invitation: InvitationToTell): Letter {
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
export function linkTo(page: string, token: string): string {
  const url = new URL(page)
  url.searchParams.set('token', token)
  return url.href
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

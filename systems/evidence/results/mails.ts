import {
  defineOutbox,
  deliverEach,
  delivered,
  enqueue,
  refused,
  retryLater,
  schedule,
  type Transaction,
  type Transport,
} from '@posthorn/engine'
import { domainOf, escapeHtml, type Letter, type Mailer } from '@posthorn/system/mailer'
import type { Notification } from './notification.ts'
import { findNotificationEmail } from './queries.ts'

export const MAIL_TRANSPORT = 'evidence-mail'

/** A row of `evidence.file_job_mail`. */
interface MailRow {
  readonly id: string
  readonly file_job_notification_id: string
  readonly org_id: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
  readonly attempts: number
  readonly next_attempt_at: Date
  readonly error_code: string | null
  readonly error_message: string | null
  readonly created_at: Date
  readonly sent_at: Date | null
}

interface MailPayload {
  readonly recipient: string
  readonly subject: string
  readonly body: string
}

/** Mails about results, for organisations that want them beside their webhooks. */
export const mailsOutbox = defineOutbox<MailRow>({
  name: 'evidence.mails',
  table: 'evidence.file_job_mail',
  states: { ready: 'PENDING', sent: 'SENT', dead: 'FAILED' },
  columns: {
    dueAt: 'next_attempt_at',
    createdAt: 'created_at',
    sentAt: 'sent_at',
    tenant: 'org_id',
    error: 'error_message',
    errorCode: 'error_code',
  },
  label: ['recipient', 'subject'],
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim: { batch: 10, every: '30s', lease: '2m' },
  retry: schedule(['1m', '5m', '30m', '2h', '6h', '12h']),
  destination: { transport: MAIL_TRANSPORT, topic: 'notifications' },
  message: ({ id, org_id: tenant, recipient, subject, body }) => ({
    ...{ id, tenant, type: 'evidence.mail' },
    payload: { recipient, subject, body } satisfies MailPayload,
  }),
})

/** Writes a mail about the notification, if its organisation wants one. */
export async function enqueueMail(
  tx: Transaction,
  { org, message, filename, jobId }: Notification,
  notificationId: string,
): Promise<void> {
  const recipient = await findNotificationEmail(tx, org)
  if (recipient === null) return
  await enqueue(tx, mailsOutbox, {
    file_job_notification_id: notificationId,
    org_id: org,
    recipient,
    subject: `${filename}: ${message}`.slice(0, 200),
    body: `${message}\n\nFile: ${filename}\nJob: ${jobId}`,
  })
}

/** Sends letters by SMTP, a few at once; no database transaction is open meanwhile. */
export function mailTransport(mailer: Mailer, from: string): Transport {
  return {
    takes: 'each',
    deliver: (batch, options) =>
      deliverEach(batch, options, async ({ message }) => {
        try {
          const payload = message.payload as MailPayload
          const mailed = await mailer.send(letterOf(message.id, payload, from))
          if (mailed.kind === 'sent') return delivered()
          return refused({ code: 'MAIL_REFUSED', message: mailed.reason })
        } catch (error) {
          return retryLater(error)
        }
      }),
    close: async () => undefined,
  }
}

function letterOf(id: string, { recipient, subject, body }: MailPayload, from: string): Letter {
  const html = body
    .split('\n\n')
    .map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`)
  return {
    ...{ to: recipient, subject, text: body, html: html.join('\n') },
    messageId: `<${id}@${domainOf(from)}>`,
  }
}

import { uuid, type Transaction } from '@posthorn/engine'
import {
  NullableText,
  nullable,
  resource,
  time,
  type EventDelivery,
  type Notify,
  type RowOf,
} from '@posthorn/system'
import { Type } from 'typebox'
import { enqueueMail } from './mails.ts'
import { insertNotification } from './queries.ts'

export const NotificationResource = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['N1', 'N2', 'REJECTED']),
  round: Type.Integer(),
  success: Type.Integer(),
  pendingRetries: Type.Integer(),
  errors: Type.Integer(),
  message: Type.String(),
  createdAt: time(),
  deliveries: Type.Array(
    Type.Object({
      id: Type.String(),
      url: Type.String(),
      status: Type.String(),
      attempts: Type.Integer(),
      deliveredAt: NullableText,
    }),
    { description: 'Delivery of the webhook to each endpoint' },
  ),
  mail: nullable(
    Type.Object({
      recipient: Type.String(),
      status: Type.Enum(['PENDING', 'SENT', 'FAILED']),
      sentAt: NullableText,
      error: NullableText,
    }),
  ),
})

/** A row of `evidence.file_job_notification`, with its mail. */
export interface NotificationRow extends RowOf<typeof NotificationResource, 'deliveries' | 'mail'> {
  readonly mail_recipient: string | null
  readonly mail_status: 'PENDING' | 'SENT' | 'FAILED' | null
  readonly mail_sent_at: Date | null
  readonly mail_error: string | null
}

export const toNotification = resource(NotificationResource, {
  mail: ({
    mail_recipient: recipient,
    mail_status: status,
    mail_error: error,
    mail_sent_at: at,
  }: NotificationRow & { readonly deliveries: readonly EventDelivery[] }) =>
    recipient === null || status === null
      ? null
      : { recipient, status, error, sentAt: at?.toISOString() ?? null },
})

export type NotificationKind = NotificationRow['kind']

export interface Results {
  readonly success: number
  readonly pendingRetries: number
  readonly errors: number
}

const EVENT_TYPES: Readonly<Record<NotificationKind, string>> = {
  N1: 'evidence.initial_results',
  N2: 'evidence.final_results',
  REJECTED: 'evidence.rejected',
}

export function initialMessage({ success, pendingRetries, errors }: Results): string {
  const failed = errors > 0 ? `, ${errors} errors` : ''
  return `Initial Results: ${success} success, ${pendingRetries} pending retry${failed}`
}

export function finalMessage({ success, errors }: Results): string {
  return `Final Results: ${success} success, ${errors} errors`
}

export interface Notification extends Results {
  readonly jobId: string
  readonly org: string
  readonly kind: NotificationKind
  readonly round: number
  readonly message: string
  readonly filename: string
  /** More for the webhook's data. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Tells the merchant once for each job, kind and round; false if that was done before. */
export async function notifyOnce(
  tx: Transaction,
  notify: Notify,
  notification: Notification,
): Promise<boolean> {
  const { jobId, org, kind, round, success, pendingRetries, errors, message, more } = notification
  const id = uuid()
  if (!(await insertNotification(tx, { id, ...notification }))) return false
  const data = { fileJobId: jobId, success, pendingRetries, errors, message, round, ...more }
  await notify(tx, { org, id, type: EVENT_TYPES[kind], data, key: jobId })
  await enqueueMail(tx, notification, id)
  return true
}

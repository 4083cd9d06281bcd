import { uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { enqueueMail } from './mails.ts'
import { insertNotification } from './queries.ts'

/** An event for a merchant's webhooks. */
export interface MerchantEvent {
  readonly org: string
  /** Its own: announced again, it is not delivered again. */
  readonly id: string
  readonly type: string
  readonly data: unknown
  /** What it is about. */
  readonly key?: string
}

/** What became of an event at one of the merchant's endpoints. */
export interface EventDelivery {
  readonly id: string
  readonly eventId: string
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly deliveredAt: Date | null
}

/** Finds the deliveries of events, whichever state they are in. */
export type FindDeliveries = (
  db: Queryable,
  events: { readonly org: string; readonly ids: readonly string[] },
) => Promise<readonly EventDelivery[]>

/** Writes an event down for the merchant's webhooks, in the caller's transaction. */
export type Notify = (tx: Transaction, event: MerchantEvent) => Promise<unknown>

export type NotificationKind = 'N1' | 'N2' | 'REJECTED'

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

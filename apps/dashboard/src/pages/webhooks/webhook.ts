import type { paths } from '../../api/schema.d.ts'
import type { StateRole } from '../../states/role.ts'

type Ok<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never
type Item<Body> = Body extends { items: (infer One)[] } ? One : never

export type Endpoint = Item<Ok<'/api/v1/webhook-endpoints'>>
export type Health = Item<Ok<'/api/v1/webhook-endpoints/health'>>
export type Delivery = Item<Ok<'/api/v1/webhook-deliveries'>>
export type Attempt = Item<Ok<'/api/v1/webhook-deliveries/{id}/attempts'>>
export type Run = Item<Ok<'/api/v1/webhook-deliveries/runs'>>

export const DELIVERY_STATES = [
  'pending',
  'failed',
  'delivered',
  'abandoned',
  'skipped_disabled',
] as const

export const DELIVERY_ROLES: Readonly<Record<Delivery['status'], StateRole>> = {
  pending: 'ready',
  failed: 'retry',
  delivered: 'sent',
  abandoned: 'dead',
  skipped_disabled: 'cancelled',
}

/** Whether it can be sent again: what is still attempted is sent by itself. */
export function isFinished({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'pending' && status !== 'failed'
}

/** An attempt's class of error is its code without `WEBHOOK_`, in small letters. */
export function codeOf(errorClass: string): string {
  return /^[a-z_]+$/.test(errorClass) ? `WEBHOOK_${errorClass.toUpperCase()}` : errorClass
}

/** What an address needs most of: its host and path. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

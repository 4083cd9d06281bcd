import type { paths } from '../../api/schema.d.ts'
import type { StateRole } from '../../states/role.ts'

export type Alert =
  paths['/api/v1/alerts']['get']['responses']['200']['content']['application/json']['items'][number]

export const ALERT_STATES = ['open', 'acknowledged', 'recovered'] as const

/** Alerts look like the states of messages that call for the same. */
export const ALERT_ROLES: Readonly<Record<Alert['status'], StateRole>> = {
  open: 'dead',
  acknowledged: 'retry',
  recovered: 'confirmed',
}

/** Where the thing is that an alert speaks of; undefined where there is no page of it. */
export function placeOf({ source, subject }: Alert): string | undefined {
  // An outbox is the source of alerts of its messages, and their id is the subject.
  if (source.includes('.')) {
    return `/messages?outbox=${encodeURIComponent(source)}&open=${encodeURIComponent(`${source}:${subject}`)}`
  }
  return source === 'sagas' ? `/sagas/${encodeURIComponent(subject)}` : undefined
}

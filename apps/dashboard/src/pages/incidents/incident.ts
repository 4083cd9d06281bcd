import type { paths } from '../../api/schema.d.ts'

export type Incident =
  paths['/api/v1/incidents']['get']['responses']['200']['content']['application/json']['items'][number]

export type Channel =
  paths['/api/v1/notice-channels']['get']['responses']['200']['content']['application/json']['items'][number]

export type NewChannel =
  paths['/api/v1/notice-channels']['post']['requestBody']['content']['application/json']

/** Whether more of it came in the last hour than in the one before, in words. */
export function trendText({ trend, lastHour, hourBefore }: Incident): string {
  if (trend === 'steady') return `steady: ${lastHour} in the last hour`
  return `${trend}: ${lastHour} in the last hour, ${hourBefore} in the hour before`
}

/** Where all alerts of an incident are listed. */
export function alertsOf({ source, code }: Incident): string {
  return `/alerts?source=${encodeURIComponent(source)}&code=${encodeURIComponent(code)}`
}

/** Where what it is about is mended: an outbox's dead letters, or the alerts. */
export function placeOf(incident: Incident): string {
  const { source, code } = incident
  if (source.includes('/')) return '/consumers'
  if (source === 'sagas') return '/sagas'
  return source.includes('.')
    ? `/dead-letters?outbox=${encodeURIComponent(source)}&code=${encodeURIComponent(code)}`
    : alertsOf(incident)
}

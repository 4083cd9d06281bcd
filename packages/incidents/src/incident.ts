import { nullable, NullableText, resource, time, type RowOf } from '@posthorn/system'
import { Type } from 'typebox'

const Moment = nullable(time({ format: 'date-time' }))

export const IncidentState = Type.Enum(['open', 'snoozed', 'closed'])

export const IncidentResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  state: IncidentState,
  source: Type.String({ description: 'Outbox, or part of a system' }),
  code: Type.String(),
  tenant: NullableText,
  openedAt: time({ format: 'date-time', description: 'When the first alert was raised' }),
  closedAt: Moment,
  owner: NullableText,
  acknowledgedAt: Moment,
  acknowledgedBy: NullableText,
  snoozedUntil: Moment,
  standing: Type.Integer({ description: 'Alerts whose cause still exists' }),
  alerts: Type.Integer({ description: 'Number of alerts of the incident' }),
  lastAt: Moment,
  lastHour: Type.Integer({ description: 'Alerts raised in the last hour' }),
  hourBefore: Type.Integer({ description: 'Alerts raised in the hour before the last one' }),
  trend: Type.Enum(['rising', 'steady', 'falling']),
  detail: nullable(Type.String(), { description: 'Text of the newest alert' }),
  subject: NullableText,
})

/** An incident as its table has it, with what its alerts say. */
export type Incident = RowOf<typeof IncidentResource, 'state' | 'trend'>

export const incidentResource = resource(IncidentResource, { state: stateOf, trend: trendOf })

function stateOf({ closed_at: closedAt, snoozed_until: until }: Incident) {
  if (closedAt) return 'closed'
  return until && until.getTime() > Date.now() ? 'snoozed' : 'open'
}

function trendOf({ last_hour: now, hour_before: before }: Incident) {
  if (now === before) return 'steady'
  return now > before ? 'rising' : 'falling'
}

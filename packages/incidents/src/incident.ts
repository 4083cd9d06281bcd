import { Type, type Static } from 'typebox'

/** An incident as its table has it, with what its alerts say. */
export interface Incident {
  readonly id: string
  readonly source: string
  readonly code: string
  readonly tenant: string | null
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly owner: string | null
  readonly acknowledged_at: Date | null
  readonly acknowledged_by: string | null
  readonly snoozed_until: Date | null
  readonly standing: number
  readonly alerts: number
  readonly last_at: Date | null
  readonly last_hour: number
  readonly hour_before: number
  readonly detail: string | null
  readonly subject: string | null
}

const Text = Type.Union([Type.String(), Type.Null()])
const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

export const IncidentState = Type.Enum(['open', 'snoozed', 'closed'])

export const IncidentResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  state: IncidentState,
  source: Type.String({ description: 'the outbox, or the part of a system' }),
  code: Type.String(),
  tenant: Text,
  openedAt: Type.String({ format: 'date-time', description: 'when its first alert was raised' }),
  closedAt: Moment,
  owner: Text,
  acknowledgedAt: Moment,
  acknowledgedBy: Text,
  snoozedUntil: Moment,
  standing: Type.Integer({ description: 'alerts whose cause goes on' }),
  alerts: Type.Integer({ description: 'all of its alerts' }),
  lastAt: Moment,
  lastHour: Type.Integer({ description: 'alerts raised in the last hour' }),
  hourBefore: Type.Integer({ description: 'alerts raised in the hour before that' }),
  trend: Type.Enum(['rising', 'steady', 'falling']),
  detail: Type.Union([Type.String(), Type.Null()], { description: 'of its newest alert' }),
  subject: Text,
})

export function incidentResource(incident: Incident): Static<typeof IncidentResource> {
  const { id, source, code, tenant, owner, standing, alerts, detail, subject } = incident
  return {
    ...{ id, source, code, tenant, owner, standing, alerts, detail, subject },
    state: stateOf(incident),
    openedAt: incident.opened_at.toISOString(),
    closedAt: textOf(incident.closed_at),
    acknowledgedAt: textOf(incident.acknowledged_at),
    acknowledgedBy: incident.acknowledged_by,
    snoozedUntil: textOf(incident.snoozed_until),
    lastAt: textOf(incident.last_at),
    lastHour: incident.last_hour,
    hourBefore: incident.hour_before,
    trend: trendOf(incident),
  }
}

function stateOf({ closed_at: closedAt, snoozed_until: until }: Incident) {
  if (closedAt) return 'closed'
  return until && until.getTime() > Date.now() ? 'snoozed' : 'open'
}

function trendOf({ last_hour: now, hour_before: before }: Incident) {
  if (now === before) return 'steady'
  return now > before ? 'rising' : 'falling'
}

function textOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}

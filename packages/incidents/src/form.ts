import { escapeHtml, type Letter } from '@posthorn/system/mailer'
import type { NoticePayload } from './outbox.ts'

export type NoticeKind = 'opened' | 'reminder' | 'closed' | 'test'

/** One line that says what happened. */
export function headlineOf(kind: NoticeKind, payload: NoticePayload): string {
  const { source, code, alerts } = payload
  const count = alerts === 1 ? '1 alert' : `${alerts} alerts`
  switch (kind) {
    case 'opened':
      return `${source}: ${code} (${count})`
    case 'reminder':
      return `Still open: ${source}: ${code} (${count})`
    case 'closed':
      return `Over: ${source}: ${code}`
    case 'test':
      return 'A test of this channel: notices of incidents arrive here.'
  }
}

/** Where an incident is looked at. */
function linkTo(baseUrl: string, { incident }: NoticePayload): string {
  return `${baseUrl}/incidents?open=${encodeURIComponent(incident)}`
}

export interface Formed {
  readonly kind: NoticeKind
  readonly payload: NoticePayload
  readonly baseUrl: string
}

/** As incoming webhooks of Slack, Mattermost and others take it. */
export function slackBody({ kind, payload, baseUrl }: Formed): string {
  const text = `*${escapeSlack(headlineOf(kind, payload))}*\n${escapeSlack(payload.detail)}\n<${linkTo(baseUrl, payload)}|Open the incident>`
  return JSON.stringify({ text })
}

/** Angle brackets would be links of their own. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** PagerDuty cuts a longer summary. */
const MOST_SUMMARY = 1_024

/** An event of PagerDuty's Events API v2: the same incident is triggered once and resolved once. */
export function pagerDutyBody({ kind, payload, baseUrl }: Formed, routingKey: string): string {
  const { incident, source, code, tenant, alerts, detail, openedAt } = payload
  const resolves = kind === 'closed'
  return JSON.stringify({
    routing_key: routingKey,
    event_action: resolves ? 'resolve' : 'trigger',
    dedup_key: `posthorn/${incident}`,
    ...(!resolves && {
      payload: {
        summary: headlineOf(kind, payload).slice(0, MOST_SUMMARY),
        source,
        severity: kind === 'test' ? 'info' : 'error',
        timestamp: openedAt,
        component: source,
        class: code,
        custom_details: { detail, alerts, organisation: tenant },
      },
      links: [{ href: linkTo(baseUrl, payload), text: 'Open the incident' }],
    }),
  })
}

export function letterOf(
  formed: Formed,
  { to, id, domain }: { to: string; id: string; domain: string },
): Letter {
  const { kind, payload, baseUrl } = formed
  const subject = headlineOf(kind, payload)
    .replaceAll(/[\r\n]+/g, ' ')
    .slice(0, 200)
  const link = linkTo(baseUrl, payload)
  const text = `${headlineOf(kind, payload)}\n\n${payload.detail}\n\nOpen since ${payload.openedAt}\n${link}\n`
  const html = `<p><b>${escapeHtml(headlineOf(kind, payload))}</b></p><p>${escapeHtml(payload.detail)}</p><p><a href="${escapeHtml(link)}">Open the incident</a></p>`
  return { to, subject, text, html, messageId: `<${id}@${domain}>` }
}

import { createHash } from 'node:crypto'
import { uuid, type Transaction } from '@posthorn/engine'
import { storableJson } from '@posthorn/system'
import { valueAt } from '../providers/graph-api.ts'
import type { SendingAccount } from '../providers/provider.ts'
import { insertNotice, setTemplateStatus } from './queries.ts'
import { stopReported } from './stops.ts'

/** One change of a webhook, with the time of its entry. */
export interface Change {
  readonly field?: unknown
  readonly value?: object
  readonly time?: unknown
}

/** What WhatsApp says about an account, and not about a message. */
export interface Notice {
  /** The webhook's field, as `account_update`; `errors` for an error that belongs to no message. */
  readonly field: string
  /** The template or the number that it is about. */
  readonly subject: string | null
  /** What happened, in WhatsApp's word; of an error the code. */
  readonly event: string
  readonly detail: string | null
  /** In whole seconds; null where WhatsApp gave no time. */
  readonly saidAt: Date | null
  /** WhatsApp repeats a webhook for up to a week, with the same content. */
  readonly content: string
  readonly template?: { readonly name: string; readonly language: string }
}

/** Fields about accounts, numbers and templates. Others are about people, and are not kept. */
const FIELDS: ReadonlySet<unknown> = new Set([
  ...['account_alerts', 'account_review_update', 'account_update', 'business_capability_update'],
  ...['business_status_update', 'message_template_components_update', 'security'],
  ...['message_template_quality_update', 'message_template_status_update'],
  ...['phone_number_name_update', 'phone_number_quality_update', 'template_category_update'],
])

/** What a template's event makes of it. All other events leave it as it is. */
const TEMPLATE_STATES: ReadonlyMap<string, string> = new Map([
  ...['APPROVED', 'REINSTATED', 'UNARCHIVED'].map((event) => [event, 'APPROVED'] as const),
  ...['PAUSED', 'DISABLED', 'REJECTED', 'PENDING', 'ARCHIVED', 'DELETED', 'PENDING_DELETION'].map(
    (event) => [event, event] as const,
  ),
])

/** Every notice of a webhook. */
export function readNotices(changes: readonly Change[]): Notice[] {
  return changes.flatMap(({ field, value = {}, time }) => {
    const seconds = /^\d{9,10}$/.test(String(time)) ? Number(time) : undefined
    const saidAt = seconds === undefined ? null : new Date(seconds * 1_000)
    const errors = valueAt(value, ['errors'])
    const number = wordAt(value, 'metadata.phone_number_id')
    return [
      ...(FIELDS.has(field) ? [noticeOf(String(field), value, saidAt)] : []),
      ...(Array.isArray(errors) ? errors : []).map((error: unknown) => ({
        ...{ field: 'errors', subject: number, saidAt },
        event: wordAt(error, 'code') ?? 'UNKNOWN',
        detail: wordAt(error, 'error_data.details', 'message', 'title'),
        content: storableJson([number, error, time]),
      })),
    ]
  })
}

function noticeOf(field: string, value: object, saidAt: Date | null): Notice {
  const name = wordAt(value, 'message_template_name')
  // This webhook writes en-US, the API en_US.
  const language = wordAt(value, 'message_template_language')?.replace('-', '_')
  const banned = [wordAt(value, 'ban_info.waba_ban_state'), wordAt(value, 'ban_info.waba_ban_date')]
  const reason = wordAt(value, 'reason', 'rejection_reason')
  return {
    ...{ field, saidAt, content: storableJson([field, value, saidAt]) },
    subject:
      name === null
        ? wordAt(value, 'display_phone_number', 'alert_info.alert_severity')
        : `${name} (${language ?? 'all languages'})`,
    event:
      wordAt(value, 'event', 'alert_info.alert_type', 'decision', 'new_quality_score') ??
      wordAt(value, 'new_category', 'current_limit', 'max_daily_conversation_per_phone') ??
      'UPDATED',
    detail:
      banned.filter((word) => word !== null).join(', ') ||
      (wordAt(value, 'other_info.description', 'alert_info.alert_description') ??
        wordAt(value, 'rejection_info.reason', 'violation_info.violation_type') ??
        wordAt(
          value,
          'restriction_info.0.restriction_type',
          'max_daily_conversations_per_business',
        ) ??
        (reason === 'NONE' ? null : reason) ??
        wordAt(value, 'current_limit', 'requested_verified_name')),
    ...(field === 'message_template_status_update' &&
      name !== null &&
      language !== undefined && { template: { name, language } }),
  }
}

/** The first of these places where a word or a number is. */
function wordAt(value: unknown, ...places: readonly string[]): string | null {
  const words = places.map((place) => valueAt(value, place.split('.')))
  const word = words.find((each) => typeof each === 'string' || typeof each === 'number')
  return word === undefined || word === '' ? null : String(word).slice(0, 2_000)
}

/**
 * Keeps what WhatsApp says about an account, once. What it says of a template holds for the messages
 * of it, and an error that would stop the account as an answer stops it.
 */
export async function takeNotices(
  tx: Transaction,
  account: SendingAccount,
  notices: readonly Notice[],
): Promise<void> {
  const { id: accountId, orgId } = account
  for (const { content, template, ...notice } of notices) {
    const digest = createHash('sha256').update(`${accountId}\n${content}`).digest()
    const { field, event, detail, subject, saidAt } = notice
    if (!(await insertNotice(tx, { id: uuid(), accountId, orgId, digest, ...notice }))) continue
    const status = TEMPLATE_STATES.get(event)
    if (template && status !== undefined) {
      await setTemplateStatus(tx, { ...template, accountId, orgId, status, subject, saidAt })
    }
    if (field !== 'errors') continue
    const reason = detail ?? 'WhatsApp gave no reason.'
    await stopReported(tx, [{ account, numberId: subject, code: event, reason, probeId: null }])
  }
}

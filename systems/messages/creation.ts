import { type Outbox, type Transaction, enqueue } from '@posthorn/engine'
import type { FieldError } from '@posthorn/http'
import { chooseAccount } from './accounts/queries.ts'
import { recordAudit } from './audit.ts'
import { type Withdrawal, lockWithdrawal } from './consents/queries.ts'
import { askConsent } from './dossiers/consent.ts'
import type { NewMessage, OutboundMessage } from './message.ts'
import { findByIdempotencyKey } from './queries.ts'
import { type Fitted, fitTemplate } from './templates/fill.ts'

/** A request for a message, and who makes it. */
export interface MessageRequest {
  readonly orgId: string
  readonly by: string
  readonly key: string
  readonly fingerprint: string
  readonly message: NewMessage
  /** For free text, which belongs to a conversation. */
  readonly conversationId?: string
}

export type Creation =
  | { readonly kind: 'created' | 'existing'; readonly message: OutboundMessage }
  /** The Idempotency-Key belongs to another request. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'consentRequired' }
  /** It does not fit the template that is registered. */
  | { readonly kind: 'unfit'; readonly errors: readonly FieldError[] }
  /** The recipient has withdrawn consent, whichever dossier it is. */
  | { readonly kind: 'optedOut'; readonly withdrawal: Withdrawal }
  /** The organisation has no such account. */
  | { readonly kind: 'accountUnknown' }

/** Queues a message, once for each idempotency key of an organisation. */
export async function queueMessage(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  request: MessageRequest,
): Promise<Creation> {
  const { orgId, by, message } = request
  const { dossierId, channel } = message
  const earlier = await findByIdempotencyKey(tx, request)
  if (earlier) return decideRepeat(earlier, request)
  if (dossierId !== undefined) {
    const permission = await askConsent(tx, { orgId, dossierId, channel }, by)
    if (permission === 'missing') return { kind: 'consentRequired' }
  }
  const withdrawal = await lockWithdrawal(tx, { orgId, channel, recipient: message.to })
  if (withdrawal) return { kind: 'optedOut', withdrawal }
  const account = await accountFor(tx, request)
  if (account === 'unknown') return { kind: 'accountUnknown' }
  const fitted = await fitTemplate(tx, { orgId, message })
  if (fitted.kind === 'wrong') return { kind: 'unfit', errors: fitted.errors }
  const row = { ...rowOf(request), ...account, ...contentsOf(message, fitted) }
  const { created } = await enqueue(tx, outbox, row)
  const stored = await findByIdempotencyKey(tx, request)
  if (!stored) throw new Error('the message that was just queued is missing')
  if (!created) return decideRepeat(stored, request)
  const about = { orgId, entity: 'OUTBOUND_MESSAGE', entityId: stored.id, actor: by } as const
  const details = `Message to ${channel} queued`
  await recordAudit(tx, [{ ...about, action: 'CREATED', details }])
  return { kind: 'created', message: stored }
}

function contentsOf(
  { priority }: NewMessage,
  { components, category }: Extract<Fitted, { kind: 'fits' }>,
): Partial<OutboundMessage> {
  return {
    // A person waits for a code, and not for a campaign.
    priority: priority ?? (category === 'AUTHENTICATION' ? 'urgent' : 'normal'),
    ...(components !== undefined && { components }),
  }
}

/** The account that sends it; nothing where that is the one of the settings. */
async function accountFor(
  tx: Transaction,
  { orgId, conversationId, message: { channel, accountId: id } }: MessageRequest,
): Promise<{ account_id?: string } | 'unknown'> {
  // A session is with one number: where that is none of the organisation's, it is the settings'.
  if (conversationId !== undefined && id === undefined) return {}
  const account = channel === 'whatsapp' ? await chooseAccount(tx, { id, orgId }) : undefined
  if (account) return { account_id: account.id }
  return id === undefined ? {} : 'unknown'
}

/** What a message without its contents was asked for is no longer known: its key is the same. */
function decideRepeat(message: OutboundMessage, { fingerprint }: MessageRequest): Creation {
  return message.contents_removed_at !== null || message.request_fingerprint === fingerprint
    ? { kind: 'existing', message }
    : { kind: 'reused' }
}

function rowOf(request: MessageRequest): Partial<OutboundMessage> {
  const { orgId, key, fingerprint, message, conversationId } = request
  return {
    org_id: orgId,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(message.dossierId !== undefined && { dossier_id: message.dossierId }),
    channel: message.channel,
    to_recipient: message.to,
    ...(message.templateCode !== undefined && { template_code: message.templateCode }),
    payload_json: message.payloadJson,
    max_attempts: message.maxAttempts,
    ...(message.sendAt !== undefined && scheduledFor(new Date(message.sendAt))),
    idempotency_key: key,
    request_fingerprint: fingerprint,
  }
}

/** What is to go in the past goes now: it does not overtake those that wait. */
function scheduledFor(at: Date): Partial<OutboundMessage> {
  return { send_at: at, ...(at.getTime() > Date.now() && { next_retry_at: at }) }
}

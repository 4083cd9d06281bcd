import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel } from '@posthorn/operate'
import { recordAudit } from '../audit.ts'
import type { ConsentWord } from '../consents/consent-event.ts'
import {
  findWaiting,
  insertConsentEvent,
  upsertRecipientConsent,
  type WaitingMessage,
} from '../consents/queries.ts'
import type { OutboundMessage } from '../message.ts'
import { insertDossier, lockConsent, upsertConsent, type ConsentKey } from './queries.ts'

/**
 * Whether a dossier may be written to. A refusal is on record: this commits although the message
 * does not come to be.
 */
export async function askConsent(
  tx: Transaction,
  key: ConsentKey,
  by: string,
): Promise<'granted' | 'missing'> {
  if (await lockConsent(tx, key)) return 'granted'
  const { orgId, dossierId: entityId } = key
  const refusal = { action: 'BLOCKED_BY_POLICY', details: 'Consent required' } as const
  await recordAudit(tx, [{ orgId, entity: 'DOSSIER', entityId, actor: by, ...refusal }])
  return 'missing'
}

export interface ConsentChange extends ConsentKey, ConsentWord {
  /** The number or address that it is about: with it, a withdrawal of the number is lifted too. */
  readonly recipient?: string
  /** What it rests on, if it is not the word of the one who does it. */
  readonly because?: string
}

/**
 * Grants or withdraws consent, and makes the dossier if it is new. A withdrawal cancels what waits;
 * what is on its way then is checked once more before it is tried again. Every word is kept; a later
 * one that is known already stands.
 */
export async function setConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { orgId, dossierId, channel, recipient, because, ...word }: ConsentChange,
): Promise<void> {
  const key = { orgId, dossierId, channel }
  const { granted, by } = word
  await insertDossier(tx, key)
  // Numbers before dossiers: a withdrawal by keyword locks them in this order too.
  if (recipient !== undefined) {
    const number = { orgId, channel, recipient }
    const isLast = await upsertRecipientConsent(tx, number, word)
    const waiting = isLast && !granted ? await findWaiting(tx, number) : []
    await cancelForConsent(tx, outbox, { waiting, by })
  }
  const stands = await upsertConsent(tx, { ...key, granted, saidAt: word.saidAt })
  await insertConsentEvent(tx, { ...key, recipient: recipient ?? null, ...word })
  if (stands !== granted) return
  const done = `Consent for ${channel} ${granted ? 'granted' : 'withdrawn'}`
  const details = because === undefined ? done : `${done}: ${because}`
  await recordAudit(tx, [
    { orgId, entity: 'DOSSIER', entityId: dossierId, action: 'UPDATED', details, actor: by },
  ])
  if (!granted) await cancelForConsent(tx, outbox, { waiting: await findWaiting(tx, key), by })
}

/** Cancels messages whose consent was withdrawn; those that have left meanwhile go on. */
export async function cancelForConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { waiting, by }: { waiting: readonly WaitingMessage[]; by: string },
): Promise<void> {
  const reason = 'Consent was withdrawn'
  const ids = await cancel(tx, outbox, { ids: waiting.map(({ id }) => id), by, reason })
  const cancelled = waiting.filter(({ id }) => ids.includes(id))
  await recordAudit(
    tx,
    cancelled.map(({ id: entityId, org_id: orgId }) => ({
      ...{ orgId, entityId, actor: by, details: reason },
      entity: 'OUTBOUND_MESSAGE',
      action: 'CANCELLED',
    })),
  )
}

import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel } from '@posthorn/operate'
import { recordAudit } from '../audit.ts'
import type { ConsentWord } from '../consents/consent-event.ts'
import {
  findWaitingFor,
  insertConsentEvent,
  upsertRecipientConsent,
  type RecipientKey,
} from '../consents/queries.ts'
import type { OutboundMessage } from '../message.ts'
import {
  findWaiting,
  insertDossier,
  lockConsent,
  upsertConsent,
  type ConsentKey,
  type ConsentRow,
} from './queries.ts'

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
  await recordAudit(tx, [
    {
      orgId: key.orgId,
      entity: 'DOSSIER',
      entityId: key.dossierId,
      action: 'BLOCKED_BY_POLICY',
      details: 'Consent required',
      actor: by,
    },
  ])
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
): Promise<ConsentRow> {
  const key = { orgId, dossierId, channel }
  const { granted, by } = word
  await insertDossier(tx, key)
  // Numbers before dossiers: a withdrawal by keyword locks them in this order too.
  if (recipient !== undefined) {
    const number = { orgId, channel, recipient }
    const isLast = await upsertRecipientConsent(tx, number, word)
    if (isLast && !granted) await cancelForConsent(tx, outbox, { ...number, by })
  }
  const consent = await upsertConsent(tx, { ...key, granted, saidAt: word.saidAt })
  await insertConsentEvent(tx, { ...key, recipient: recipient ?? null, ...word })
  if (consent.granted !== granted) return consent
  const done = `Consent for ${channel} ${granted ? 'granted' : 'withdrawn'}`
  const details = because === undefined ? done : `${done}: ${because}`
  await recordAudit(tx, [
    { orgId, entity: 'DOSSIER', entityId: dossierId, action: 'UPDATED', details, actor: by },
  ])
  if (!granted) await cancelWaiting(tx, outbox, { ...key, by })
  return consent
}

async function cancelWaiting(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { by, ...key }: ConsentKey & { by: string },
): Promise<void> {
  const ids = await findWaiting(tx, key)
  await cancelAll(tx, outbox, { ids, orgId: key.orgId, by })
}

/** Cancels what waits for a recipient, under whichever dossier. */
export async function cancelForConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { by, ...key }: RecipientKey & { by: string },
): Promise<void> {
  const ids = await findWaitingFor(tx, key)
  await cancelAll(tx, outbox, { ids, orgId: key.orgId, by })
}

async function cancelAll(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { ids: waiting, orgId, by }: { ids: readonly string[]; orgId: string; by: string },
): Promise<void> {
  const reason = 'Consent was withdrawn'
  const ids = await cancel(tx, outbox, { ids: waiting, by, reason })
  await recordAudit(
    tx,
    ids.map((id) => ({
      orgId,
      entity: 'OUTBOUND_MESSAGE',
      entityId: id,
      action: 'CANCELLED',
      details: reason,
      actor: by,
    })),
  )
}

import type { Outbox, Transaction } from '@posthorn/engine'
import { recordAudit } from '../audit.ts'
import { cancelForConsent, setConsent } from '../dossiers/consent.ts'
import type { OutboundMessage } from '../message.ts'
import type { ConsentWord } from './consent-word.ts'
import {
  findDossiersOf,
  insertConsentEvent,
  upsertRecipientConsent,
  type RecipientKey,
} from './queries.ts'

export interface RecipientConsentChange extends RecipientKey, ConsentWord {
  readonly conversationId: string
}

/**
 * Notes that a person who writes to us wants no more messages, or wants them again: for the number,
 * whether a dossier is known or not, and for its dossiers. A grant gives back to dossiers only what a
 * keyword took. What waits is cancelled; what is on its way is checked before it is tried again.
 */
export async function setRecipientConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { conversationId, orgId, channel, recipient, ...word }: RecipientConsentChange,
): Promise<void> {
  const key = { orgId, channel, recipient }
  const isLast = await upsertRecipientConsent(tx, key, word)
  await insertConsentEvent(tx, { ...key, dossierId: null, ...word })
  if (!isLast) return
  await recordAudit(tx, [
    {
      ...{ orgId, entity: 'CONVERSATION', entityId: conversationId, actor: word.by },
      action: word.granted ? 'OPTED_IN' : 'OPTED_OUT',
      details: `Consent for ${channel} ${word.granted ? 'granted' : 'withdrawn'} (${word.source})`,
    },
  ])
  for (const { dossierId, granted, source } of await findDossiersOf(tx, key)) {
    const concerns = word.granted ? !granted && source === 'keyword' : granted
    if (concerns) await setConsent(tx, outbox, { orgId, channel, dossierId, ...word })
  }
  if (!word.granted) await cancelForConsent(tx, outbox, { ...key, by: word.by })
}

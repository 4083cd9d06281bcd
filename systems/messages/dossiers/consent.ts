import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel } from '@posthorn/engine/operate'
import { recordAudit } from '../audit.ts'
import type { OutboundMessage } from '../message.ts'
import {
  findOwner,
  findWaiting,
  insertDossier,
  lockConsent,
  upsertConsent,
  type ConsentRow,
} from './queries.ts'

/** Which channel of whose dossier. */
export interface ConsentKey {
  readonly orgId: string
  readonly dossierId: string
  readonly channel: string
}

/** Whether a dossier may be written to; `foreign` if it is another organisation's. */
export type Permission = 'granted' | 'missing' | 'foreign'

/** The refusal is on record: this commits although the message does not come to be. */
export async function askConsent(
  tx: Transaction,
  key: ConsentKey,
  by: string,
): Promise<Permission> {
  const owner = await findOwner(tx, key.dossierId)
  if (owner !== undefined && owner !== key.orgId) return 'foreign'
  if (owner !== undefined && (await lockConsent(tx, key))) return 'granted'
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

/**
 * Grants or withdraws consent, and makes the dossier if it is new. A withdrawal cancels what waits;
 * what is on its way then is checked once more before it is tried again. Undefined for another
 * organisation's dossier.
 */
export async function setConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { granted, by, ...key }: ConsentKey & { granted: boolean; by: string },
): Promise<ConsentRow | undefined> {
  const { orgId, dossierId, channel } = key
  if ((await insertDossier(tx, { id: dossierId, orgId })) !== orgId) return undefined
  const consent = await upsertConsent(tx, { dossierId, channel, granted })
  const details = `Consent for ${channel} ${granted ? 'granted' : 'withdrawn'}`
  await recordAudit(tx, [
    { orgId, entity: 'DOSSIER', entityId: dossierId, action: 'UPDATED', details, actor: by },
  ])
  if (!granted) await cancelWaiting(tx, outbox, { ...key, by })
  return consent
}

async function cancelWaiting(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { orgId, by, ...key }: ConsentKey & { by: string },
): Promise<void> {
  const reason = 'Consent was withdrawn'
  const ids = await cancel(tx, outbox, { ids: await findWaiting(tx, key), by, reason })
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

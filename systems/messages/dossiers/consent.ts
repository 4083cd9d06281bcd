import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel } from '@posthorn/engine/operate'
import { recordAudit } from '../audit.ts'
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

export interface ConsentChange extends ConsentKey {
  readonly granted: boolean
  readonly by: string
  /** What it rests on, if it is not the word of the one who does it. */
  readonly because?: string
}

/**
 * Grants or withdraws consent, and makes the dossier if it is new. A withdrawal cancels what waits;
 * what is on its way then is checked once more before it is tried again.
 */
export async function setConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { granted, by, because, ...key }: ConsentChange,
): Promise<ConsentRow> {
  const { orgId, dossierId, channel } = key
  await insertDossier(tx, key)
  const consent = await upsertConsent(tx, { ...key, granted })
  const done = `Consent for ${channel} ${granted ? 'granted' : 'withdrawn'}`
  const details = because === undefined ? done : `${done}: ${because}`
  await recordAudit(tx, [
    { orgId, entity: 'DOSSIER', entityId: dossierId, action: 'UPDATED', details, actor: by },
  ])
  if (!granted) await cancelWaiting(tx, outbox, { ...key, by })
  return consent
}

/** Meta's code for a person who wants no more messages. */
const OPTED_OUT = '131050'

/** A message's dossier, and the code that its provider refused it with. */
export interface Refusal {
  readonly orgId: string
  readonly dossierId: string | null
  readonly channel: string
  readonly code: string | null
}

/** Withdraws the consent of those who told the provider that they want no more messages. */
export async function withdrawOptedOut(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  refusals: readonly Refusal[],
): Promise<void> {
  const keys = new Map(
    refusals.flatMap(({ orgId, dossierId, channel, code }) =>
      code !== OPTED_OUT || dossierId === null
        ? []
        : [[JSON.stringify([orgId, dossierId, channel]), { orgId, dossierId, channel }] as const],
    ),
  )
  // In one order, so that two workers cannot wait for each other.
  for (const word of [...keys.keys()].toSorted()) {
    const key = keys.get(word) as ConsentKey
    const because = `the recipient opted out at the provider (${OPTED_OUT})`
    await setConsent(tx, outbox, { ...key, granted: false, by: 'PROVIDER', because })
  }
}

async function cancelWaiting(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { by, ...key }: ConsentKey & { by: string },
): Promise<void> {
  const reason = 'Consent was withdrawn'
  const ids = await cancel(tx, outbox, { ids: await findWaiting(tx, key), by, reason })
  await recordAudit(
    tx,
    ids.map((id) => ({
      orgId: key.orgId,
      entity: 'OUTBOUND_MESSAGE',
      entityId: id,
      action: 'CANCELLED',
      details: reason,
      actor: by,
    })),
  )
}

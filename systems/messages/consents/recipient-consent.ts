import type { Outbox, Transaction } from '@posthorn/engine'
import { recordAudit, type AuditEvent } from '../audit.ts'
import { cancelForConsent, setConsent } from '../dossiers/consent.ts'
import type { OutboundMessage } from '../message.ts'
import { digestOf } from '../phone-number.ts'
import type { ConsentWord } from './consent-event.ts'
import {
  findDossiersOf,
  findWaiting,
  findWithdrawals,
  insertConsentEvent,
  upsertPeople,
  upsertRecipientConsent,
  type KnownPerson,
  type RecipientKey,
} from './queries.ts'

export interface RecipientConsentChange extends RecipientKey, ConsentWord {
  /** Where it was said: the audit names it. */
  readonly said: Pick<AuditEvent, 'entity' | 'entityId'>
  /** What it rests on, if it is not the word of the one who does it. */
  readonly because?: string
}

/**
 * Notes that a person wants no more messages, or wants them again: for the number, whether a dossier
 * is known or not, and for its dossiers. A grant gives back to dossiers only what a keyword took. What
 * waits is cancelled; what is on its way is checked before it is tried again.
 */
export async function setRecipientConsent(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  { said, because, orgId, channel, recipient, ...word }: RecipientConsentChange,
): Promise<void> {
  const key = { orgId, channel, recipient }
  const isLast = await upsertRecipientConsent(tx, key, word)
  await insertConsentEvent(tx, { ...key, dossierId: null, ...word })
  if (!isLast) return
  await recordAudit(tx, [
    {
      ...{ orgId, ...said, actor: word.by },
      action: word.granted ? 'OPTED_IN' : 'OPTED_OUT',
      details: `Consent for ${channel} ${word.granted ? 'granted' : 'withdrawn'} (${word.source})`,
    },
  ])
  for (const { dossierId, granted, source } of await findDossiersOf(tx, key)) {
    const concerns = word.granted ? !granted && source === 'keyword' : granted
    if (!concerns) continue
    const change = { orgId, channel, dossierId, ...word, ...(because !== undefined && { because }) }
    await setConsent(tx, outbox, change)
  }
  if (word.granted) return
  await cancelForConsent(tx, outbox, { waiting: await findWaiting(tx, key), by: word.by })
}

/**
 * Notes the numbers behind Meta's ids of people: what they write later may come without the number.
 * A withdrawal that was noted for the id holds for the number from now on.
 */
export async function learnNumbers(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  told: readonly (Omit<KnownPerson, 'userId'> & { readonly userId: string | null })[],
): Promise<void> {
  const people = told.flatMap(({ userId, ...person }) =>
    userId === null || userId === person.recipient ? [] : [{ ...person, userId }],
  )
  if (people.length === 0) return
  const channel = 'whatsapp'
  const learnt = await upsertPeople(tx, people)
  const withdrawals = await findWithdrawals(
    tx,
    learnt.map(({ orgId, userId: recipient }) => ({ orgId, channel, recipient })),
  )
  for (const [i, { orgId, userId, recipient, ...said }] of learnt.entries()) {
    const withdrawal = withdrawals[i]
    if (!withdrawal) continue
    await setRecipientConsent(tx, outbox, {
      ...{ orgId, channel, recipient, said, ...withdrawal },
      ...{ granted: false, by: 'WEBHOOK', proof: `said as ${userId}` },
    })
  }
}

/** Meta's code for a person who wants no more messages. */
const OPTED_OUT = '131050'

/** A message, and the code that its provider refused it with. */
export interface Refusal extends RecipientKey {
  readonly messageId: string
  readonly code: string | null
}

/** Withdraws the consent of people who opted out at the provider. */
export async function withdrawOptedOut(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  refusals: readonly Refusal[],
): Promise<void> {
  const optedOut = new Map(
    refusals.flatMap((refusal) =>
      refusal.code === OPTED_OUT ? [[digestOf(refusal).toString('hex'), refusal] as const] : [],
    ),
  )
  const because = `the recipient opted out at the provider (${OPTED_OUT})`
  const word = { granted: false, by: 'PROVIDER', source: 'provider', proof: because } as const
  // In one order, so that two workers cannot wait for each other.
  for (const name of [...optedOut.keys()].toSorted()) {
    const { messageId: entityId, orgId, channel, recipient } = optedOut.get(name) as Refusal
    const said = { entity: 'OUTBOUND_MESSAGE', entityId } as const
    await setRecipientConsent(tx, outbox, { orgId, channel, recipient, said, because, ...word })
  }
}

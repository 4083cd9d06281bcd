import { type Log, type Outbox, type Transaction, uuid } from '@posthorn/engine'
import { announce, raiseAlert } from '@posthorn/operate'
import type { Notify } from '@posthorn/system'
import { recordActivities } from '../audit.ts'
import { keywordTime } from '../consents/consent-event.ts'
import { learnNumbers, setRecipientConsent } from '../consents/recipient-consent.ts'
import type { OutboundMessage } from '../message.ts'
import { type Inbound, type Keywords, meaningOf } from './inbound.ts'
import {
  type ConversationChange,
  type NewInbound,
  type Owner,
  findKnown,
  findOwners,
  insertInbound,
  upsertConversations,
} from './queries.ts'

/** What the intake of messages works on. */
export interface InboundIntake {
  readonly outbox: Outbox<OutboundMessage>
  readonly log: Log
  readonly notify: Notify
  readonly keywords: Keywords
  /** Whose messages those are that belong to no organisation otherwise. */
  readonly defaultOrg: string | undefined
}

/** What came with one webhook. */
export interface Heard {
  readonly messages: readonly Inbound[]
  /** Whose number it is; undefined where several organisations share it. */
  readonly orgId: string | undefined
}

/** Whom pages listen to for a conversation's changes. */
const CONVERSATION_TOPIC = 'messages.conversation'

const ACTOR = 'WEBHOOK'

/**
 * Takes in what people wrote: any order, any number of times. Stored once, with the conversation, the
 * dossier's timeline, the customer's webhooks and what a keyword says about consent, all in the
 * caller's transaction.
 */
export async function takeInbound(
  tx: Transaction,
  intake: InboundIntake,
  { messages, orgId }: Heard,
): Promise<void> {
  if (messages.length === 0) return
  const known = new Set(
    await findKnown(
      tx,
      messages.map((each) => each.providerMessageId),
    ),
  )
  const fresh = messages.filter((each) => !known.has(each.providerMessageId))
  if (fresh.length === 0) return
  const placed = await place(tx, intake, { messages: fresh, orgId })
  const stored = await store(tx, placed)
  await learnNumbers(
    tx,
    intake.outbox,
    stored.map(({ orgId: org, userId, recipient, conversationId }) => ({
      ...{ orgId: org, userId, recipient, entity: 'CONVERSATION', entityId: conversationId },
    })),
  )
  for (const message of stored) await tell(tx, intake, message)
  for (const { conversationId: id, orgId: tenant } of firstOfEach(stored)) {
    await announce(tx, { topic: CONVERSATION_TOPIC, id, tenant })
  }
  await alarm(
    tx,
    intake,
    placed.filter(({ owner }) => owner === undefined),
  )
}

interface Placed {
  readonly message: Inbound
  readonly owner: Owner | undefined
  readonly recipient: string
}

/** Finds whose messages these are. */
async function place(
  tx: Transaction,
  { defaultOrg, log }: InboundIntake,
  { messages, orgId }: Heard,
): Promise<Placed[]> {
  const owners = new Map(
    (await findOwners(tx, messages, orgId ?? null)).map((owner) => [
      owner.providerMessageId,
      owner,
    ]),
  )
  const stranger = orgId ?? defaultOrg
  return messages.flatMap((message): Placed[] => {
    const { providerMessageId, from, userId } = message
    const owner = owners.get(providerMessageId)
    if (owner) return [{ message, owner, recipient: owner.recipient }]
    const recipient = from ?? userId
    if (recipient === null) {
      log.warn({ providerMessageId }, 'message without a sender ignored')
      return []
    }
    if (stranger === undefined) return [{ message, owner: undefined, recipient }]
    const made = { providerMessageId, orgId: stranger, recipient, dossierId: null }
    return [{ message, owner: made, recipient }]
  })
}

/** A message that was stored now, for the first time. */
interface Stored extends NewInbound {
  readonly orgId: string
  readonly conversationId: string
  /** As it counts: the provider's time, or now. */
  readonly saidAt: Date
  readonly answersMessageId: string | null
}

/** Stores messages with their conversations; those that were new and belong to an organisation. */
async function store(tx: Transaction, placed: readonly Placed[]): Promise<Stored[]> {
  const conversations = new Map(
    (await upsertConversations(tx, changesOf(placed))).map((each) => [wordOf(each), each.id]),
  )
  const rows = placed.map(({ message, owner, recipient }) => ({
    ...message,
    id: uuid(),
    orgId: owner?.orgId ?? null,
    conversationId: (owner && conversations.get(wordOf(owner))) ?? null,
    dossierId: owner?.dossierId ?? null,
    recipient,
  }))
  const inserted = new Map((await insertInbound(tx, rows)).map((row) => [row.id, row]))
  return rows.flatMap((row): Stored[] => {
    const made = inserted.get(row.id)
    const { orgId, conversationId } = row
    if (!made || orgId === null || conversationId === null) return []
    const { sent_at: saidAt, answers_message_id: answersMessageId } = made
    return [{ ...row, orgId, conversationId, saidAt, answersMessageId }]
  })
}

/** One change for each conversation: of several messages the newest counts. */
function changesOf(placed: readonly Placed[]): ConversationChange[] {
  const changes = new Map<string, ConversationChange>()
  for (const { message, owner } of placed) {
    if (!owner) continue
    const { sentAt, numberId, contactName } = message
    const { orgId, recipient, dossierId } = owner
    const before = changes.get(wordOf(owner))
    if (before && isLater(before.sentAt, sentAt)) continue
    changes.set(wordOf(owner), {
      ...{ id: before?.id ?? uuid(), orgId, recipient, numberId, dossierId, sentAt },
      contactName: contactName ?? before?.contactName ?? null,
    })
  }
  return [...changes.values()]
}

/** A message without a time came now. */
function isLater(one: Date | null, other: Date | null): boolean {
  return (one?.getTime() ?? Infinity) > (other?.getTime() ?? Infinity)
}

function wordOf({ orgId, recipient }: { orgId: string; recipient: string }): string {
  return JSON.stringify([orgId, recipient])
}

/** Applies what a new message says about consent, and notifies the customer's webhooks. */
async function tell(tx: Transaction, intake: InboundIntake, message: Stored): Promise<void> {
  const { id, orgId, conversationId, dossierId, kind, saidAt, answersMessageId } = message
  await recordActivities(tx, [
    {
      ...{ orgId, dossierId, type: 'MESSAGE_RECEIVED' },
      metadata: { channel: 'whatsapp', conversationId, inboundMessageId: id, kind },
    },
  ])
  const meaning = message.word === null ? undefined : meaningOf(message.word, intake.keywords)
  if (meaning !== undefined) {
    const granted = meaning === 'in'
    await setRecipientConsent(tx, intake.outbox, {
      ...{ orgId, channel: 'whatsapp', recipient: message.recipient },
      said: { entity: 'CONVERSATION', entityId: conversationId },
      ...{ granted, by: ACTOR, source: 'keyword', saidAt: keywordTime(saidAt, granted) },
      proof: `"${message.word?.trim()}" in message ${message.providerMessageId}`,
    })
  }
  await intake.notify(tx, {
    ...{ org: orgId, id, type: 'message.received', key: conversationId },
    data: {
      ...{ messageId: id, conversationId, dossierId, channel: 'whatsapp' },
      from: message.recipient,
      userId: message.userId,
      numberId: message.numberId,
      ...{ kind, text: message.text, content: message.content, answersMessageId },
      sentAt: saidAt.toISOString(),
      optOut: meaning === 'out',
    },
  })
}

function firstOfEach(stored: readonly Stored[]): Stored[] {
  return [...new Map(stored.map((each) => [each.conversationId, each])).values()].toSorted(
    (a, b) => (a.conversationId < b.conversationId ? -1 : 1),
  )
}

/** One alert for a number, however many people write to it. */
async function alarm(
  tx: Transaction,
  { log }: InboundIntake,
  placed: readonly Placed[],
): Promise<void> {
  if (placed.length === 0) return
  const numbers = new Set(placed.map(({ message }) => message.numberId))
  log.warn({ messages: placed.length }, 'messages of people without an organisation stored')
  for (const subject of [...numbers].toSorted()) {
    await raiseAlert(tx, {
      ...{ source: 'messages.inbound', subject, code: 'INBOUND_UNASSIGNED' },
      detail:
        'People whom no organisation has written to wrote to this number. WHATSAPP_INBOUND_ORG says who gets such messages.',
    })
  }
}

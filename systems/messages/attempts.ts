import {
  uuid,
  wasTried,
  type Change,
  type Failure,
  type Outbox,
  type Outcome,
  type Transaction,
} from '@posthorn/engine'
import type { NewStop } from './accounts/queries.ts'
import { resumeSending, stopSending } from './accounts/stops.ts'
import { recordActivities, recordAudit, type Activity, type AuditEvent } from './audit.ts'
import { withdrawOptedOut, type Refusal } from './consents/recipient-consent.ts'
import { cancelForConsent } from './dossiers/consent.ts'
import type { OutboundMessage } from './message.ts'
import type { Answered } from './providers/provider.ts'
import {
  abandonAttempts,
  closeAttempts,
  forgetAttempts,
  insertAttempts,
  markOutcomeUnknown,
  nameOutcomeUnknown,
} from './queries.ts'

type MessageChange = Change<OutboundMessage>

const ACTOR = 'OUTBOUND_WORKER'

/** A dossier's consent was withdrawn after the message had been queued. */
export const CONSENT_WITHDRAWN = 'CONSENT_WITHDRAWN'

/** The end of a message that may or may not have reached its provider. */
const OUTCOME_UNKNOWN: Failure = {
  code: 'OUTCOME_UNKNOWN',
  message: 'It is unknown whether the provider has taken the message.',
}

/** The engine's codes for a claim that was lost and for an outcome that stayed unknown. */
const UNSETTLED = new Set(['CLAIM_EXPIRED', 'DELIVERY_UNKNOWN'])

/** Runs with the claim: every attempt is on record before it is made. */
export async function beginAttempts(
  tx: Transaction,
  rows: readonly OutboundMessage[],
): Promise<void> {
  const attempts = rows.map(({ id, attempt_no: attemptNo }) => ({
    ...{ id: uuid(), messageId: id, attemptNo },
  }))
  const hindered = await insertAttempts(tx, attempts)
  if (hindered.length === 0) return
  // Of a message that ended where its audit could not be written, and that was replayed since.
  const ids = hindered.map(({ messageId }) => messageId)
  await abandonAttempts(tx, { ids, failure: OUTCOME_UNKNOWN })
  await insertAttempts(tx, hindered)
}

/**
 * Runs with the settling of a worker's attempts: closes them, and writes audit and activities. What
 * a status webhook changes is written where the webhook is read.
 */
export async function settleAttempts(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  changes: readonly MessageChange[],
): Promise<void> {
  const attempted = changes.filter(({ from }) => from === 'SENDING')
  const [tried, untried] = partition(attempted, ({ outcome }) => wasTried(outcome))
  const [unknown, known] = partition(tried, ({ to }) => to === 'SENDING')
  await forgetAttempts(tx, idsOf(untried))
  await markOutcomeUnknown(tx, unknown.map(closedAttempt))
  await nameOutcomeUnknown(tx, {
    ids: idsOf(known.filter(({ to }) => to === 'FAILED')),
    failure: OUTCOME_UNKNOWN,
  })
  await closeAttempts(tx, known.map(closedAttempt))
  await recordAudit(tx, known.flatMap(auditOf))
  await recordActivities(tx, known.flatMap(activityOf))
  await withdrawOptedOut(tx, outbox, known.map(refusalOf))
  const waiting = attempted.filter(isWithdrawn).map(({ row }) => row)
  if (waiting.length > 0) await cancelForConsent(tx, outbox, { waiting, by: ACTOR })
  await settleAccounts(tx, outbox, tried)
}

/** What stands in an attempt's row when it is over. */
export interface ClosedAttempt {
  readonly messageId: string
  readonly status: 'SUCCESS' | 'FAILED'
  readonly code: string | null
  readonly error: string | null
  readonly providerMessageId: string | null
  readonly response: unknown
}

function closedAttempt({ row, to, outcome }: MessageChange): ClosedAttempt {
  const { response = null } = outcome as Answered
  const ref = outcome.kind === 'delivered' ? outcome.ref?.['id'] : undefined
  const isSent = to === 'SENT'
  const { code, message } = isSent ? NO_FAILURE : failureIn(outcome)
  return {
    messageId: row.id,
    status: isSent ? 'SUCCESS' : 'FAILED',
    code,
    error: message,
    providerMessageId: !isSent || ref === undefined ? null : String(ref),
    response,
  }
}

const NO_FAILURE = { code: null, message: null }

function auditOf({ row, to, outcome }: MessageChange): AuditEvent[] {
  const { id: entityId, org_id: orgId } = row
  const event = { orgId, entity: 'OUTBOUND_MESSAGE', entityId, actor: ACTOR } as const
  if (to === 'SENT') return [{ ...event, action: 'SENT', details: 'Message sent successfully' }]
  if (to !== 'FAILED') return []
  return [{ ...event, action: 'FAILED', details: `Message failed: ${failureIn(outcome).message}` }]
}

function activityOf({ row, to, outcome }: MessageChange): Activity[] {
  const { org_id: orgId, dossier_id: dossierId } = row
  const metadata = { messageId: row.id, channel: row.channel }
  if (to === 'SENT') {
    const ref = outcome.kind === 'delivered' ? outcome.ref : undefined
    const sent = { ...metadata, providerMessageId: ref?.['id'] ?? null }
    return [{ orgId, dossierId, type: 'MESSAGE_SENT', metadata: sent }]
  }
  if (to !== 'FAILED') return []
  const { code, message } = failureIn(outcome)
  const failed = { ...metadata, errorCode: code, errorMessage: message }
  return [{ orgId, dossierId, type: 'MESSAGE_FAILED', metadata: failed }]
}

/** A claim that was not settled and an answer that never came look the same from outside. */
function failureIn(outcome: Outcome): Failure {
  if (outcome.kind === 'delivered') return OUTCOME_UNKNOWN
  return UNSETTLED.has(outcome.failure.code) ? OUTCOME_UNKNOWN : outcome.failure
}

function refusalOf({ row, outcome }: MessageChange): Refusal {
  return {
    messageId: row.id,
    orgId: row.org_id,
    channel: row.channel,
    recipient: row.to_recipient,
    code: outcome.kind === 'refused' ? outcome.failure.code : null,
  }
}

function isWithdrawn({ outcome }: MessageChange): boolean {
  return outcome.kind === 'retryLater' && outcome.failure.code === CONSENT_WITHDRAWN
}

/** Accounts that the provider refuses to work with stop; those that a probe found mended go on. */
async function settleAccounts(
  tx: Transaction,
  outbox: Outbox<OutboundMessage>,
  changes: readonly MessageChange[],
): Promise<void> {
  await stopSending(tx, changes.flatMap(stopOf))
  for (const { outcome } of changes) {
    const { probed } = outcome as Answered
    if (!probed || probed.byReport || (outcome.kind !== 'delivered' && outcome.kind !== 'refused'))
      continue
    const { account, numberId } = probed
    const because = 'a message went through'
    await resumeSending(tx, outbox, { accountId: account.id, numberId, by: ACTOR, because })
  }
}

function stopOf({ row, outcome }: MessageChange): NewStop[] {
  const { stop, probed } = outcome as Answered
  if (!stop) return []
  const { code, message: reason } = failureIn(outcome)
  const { id: accountId, orgId, credentials } = stop.account
  return [
    {
      ...{ accountId, orgId, credentials, code, reason },
      ...{ numberId: stop.numberId, byReport: false },
      probeId: probed ? row.id : null,
    },
  ]
}

function idsOf(changes: readonly MessageChange[]): string[] {
  return changes.map(({ row }) => row.id)
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

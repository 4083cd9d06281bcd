import { uuid, type Change, type Outbox, type Outcome, type Transaction } from '@posthorn/engine'
import { cancel } from '@posthorn/operate'
import type { WebhookCode } from '@posthorn/transports/webhook'
import { recordAudit, type AuditEntry } from '../../queries.ts'
import { disableGone } from '../endpoints/control.ts'
import { insertTallies, type Tally } from '../health/queries.ts'
import { attemptOf, isTried, type Attempt, type WebhookDelivery } from './delivery.ts'
import { insertAttempts, insertRuns, wakeHeld } from './queries.ts'

type DeliveryChange = Change<WebhookDelivery>

const ACTOR = 'WEBHOOK_RELAY'

/** The endpoint of a delivery was disabled or deleted after the event. */
export const ENDPOINT_DISABLED = 'ENDPOINT_DISABLED'

/**
 * Runs with the settling of a relay's batch: attempts, audit and the run's tally commit with the new
 * states, or not at all.
 */
export async function settleAttempts(
  tx: Transaction,
  outbox: Outbox<WebhookDelivery>,
  changes: readonly DeliveryChange[],
): Promise<void> {
  const tried = changes.filter(({ outcome }) => isTried(outcome))
  await insertAttempts(tx, tried.map(settledAttempt))
  await recordAudit(tx, ...tried.flatMap(auditOf))
  await insertRuns(tx, uuid(), runsOf(tried))
  await insertTallies(tx, talliesOf(tried))
  await wakeHeld(tx, tried.flatMap(finishedKey))
  await disableGone(tx, outbox, [
    ...new Set(tried.filter(hasCode('WEBHOOK_GONE')).map(({ row }) => row.endpoint_id)),
  ])
  await skipDisabled(tx, outbox, changes.filter(hasCode(ENDPOINT_DISABLED)))
}

function settledAttempt({ row, attempt, outcome }: DeliveryChange): Attempt {
  return attemptOf(outcome, { deliveryId: row.id, attemptNo: attempt })
}

/** The first attempt, the later ones, and the last of all have words of their own. */
function auditOf({ row, to, attempt, outcome }: DeliveryChange): AuditEntry[] {
  const entry = { org: row.org_id, actor: ACTOR, entity: 'webhook_delivery', entityId: row.id }
  const details = {
    ...{ attempt, eventId: row.event_id, endpointId: row.endpoint_id },
    ...(outcome.kind !== 'delivered' && {
      code: outcome.failure.code,
      error: outcome.failure.message,
    }),
  }
  const success = attempt === 1 ? 'webhook.delivered' : 'webhook.retry.success'
  const failure = attempt === 1 ? 'webhook.failed' : 'webhook.retry.failed'
  const entries = [{ ...entry, action: outcome.kind === 'delivered' ? success : failure, details }]
  return to === 'abandoned'
    ? [...entries, { ...entry, action: 'webhook.abandoned', details }]
    : entries
}

/** What a run of retries did for one merchant. */
export interface RetryRun {
  readonly org: string
  readonly processed: number
  readonly success: number
  readonly failed: number
}

function runsOf(tried: readonly DeliveryChange[]): RetryRun[] {
  const retries = tried.filter(({ attempt }) => attempt > 1)
  const byOrg = Map.groupBy(retries, ({ row }) => row.org_id)
  return [...byOrg].map(([org, changes]) => {
    const success = changes.filter(({ outcome }) => outcome.kind === 'delivered').length
    return { org, processed: changes.length, success, failed: changes.length - success }
  })
}

/** What a batch did for each endpoint. */
function talliesOf(tried: readonly DeliveryChange[]): Tally[] {
  const byEndpoint = Map.groupBy(tried, ({ row }) => row.endpoint_id)
  return [...byEndpoint].map(([endpointId, changes]) => {
    const failures = changes.filter(({ outcome }) => outcome.kind !== 'delivered')
    const last = failures.at(-1)
    const failure = last?.outcome.kind === 'delivered' ? undefined : last?.outcome.failure
    return {
      endpointId,
      delivered: changes.length - failures.length,
      ...(failures.length > 0 && {
        failed: failures.length,
        abandoned: failures.filter(({ to }) => to === 'abandoned').length,
      }),
      ...(last &&
        failure && { deliveryId: last.row.id, errorCode: failure.code, error: failure.message }),
    }
  })
}

/** What waited behind a delivery of its key need not wait any longer. */
function finishedKey({ row, to }: DeliveryChange): { endpointId: string; key: string }[] {
  const isOver = to === 'delivered' || to === 'abandoned'
  return isOver && row.order_key !== null
    ? [{ endpointId: row.endpoint_id, key: row.order_key }]
    : []
}

async function skipDisabled(
  tx: Transaction,
  outbox: Outbox<WebhookDelivery>,
  changes: readonly DeliveryChange[],
): Promise<void> {
  if (changes.length === 0) return
  const ids = changes.map(({ row }) => row.id)
  await cancel(tx, outbox, { ids, by: ACTOR, reason: 'the endpoint is disabled' })
  const byEndpoint = Map.groupBy(changes, ({ row }) => row.endpoint_id)
  await insertTallies(
    tx,
    [...byEndpoint].map(([endpointId, { length }]) => ({ endpointId, skipped: length })),
  )
}

function hasCode(code: WebhookCode | typeof ENDPOINT_DISABLED) {
  return ({ outcome }: DeliveryChange): boolean => codeIn(outcome) === code
}

function codeIn(outcome: Outcome): string | undefined {
  return outcome.kind === 'delivered' ? undefined : outcome.failure.code
}

import type { Transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/engine/operate'
import { recordAudit } from '../audit.ts'
import { enqueueEvent } from '../event.ts'
import { markWarned, selectFailing, type FailingEndpoint } from '../health/queries.ts'
import { webhookDeliveries } from '../outbox.ts'
import { ALERTS, entryOf, skipWaiting } from './control.ts'
import { maskUrl } from './endpoint-url.ts'
import { markDisabled } from './queries.ts'

const BY = 'WEBHOOK_MAINTENANCE'
const DAY_MS = 86_400_000

/** The alerts of endpoints whose failures are over. */
export async function recoverEndpoints(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const subject of ids) await recoverAlert(tx, { source: ALERTS, subject })
}

/**
 * Warns the owners of endpoints that have only failed for half of the days, and disables those that
 * have for all of them. Both are an alert and an event to the organisation's other endpoints.
 */
export async function reviewFailing(tx: Transaction, days: number): Promise<void> {
  for (const endpoint of await selectFailing(tx, days)) {
    await (endpoint.is_over ? disable(tx, endpoint, days) : warn(tx, endpoint, days))
  }
}

async function warn(tx: Transaction, endpoint: FailingEndpoint, days: number): Promise<void> {
  const { id, org_id: tenant, failing_since: since } = endpoint
  const disablesAt = new Date(since.getTime() + days * DAY_MS).toISOString()
  await markWarned(tx, id)
  await raiseAlert(tx, {
    ...{ source: ALERTS, subject: id, tenant, code: 'WEBHOOK_FAILING' },
    detail: `${maskUrl(endpoint.url)} has only failed since ${since.toISOString()}; it is disabled after ${days} days of that`,
  })
  await recordAudit(tx, [entryOf(endpoint, BY, 'webhook_endpoint.failing')])
  await tellOthers(tx, endpoint, { type: 'webhook_endpoint.failing', disablesAt })
}

async function disable(tx: Transaction, endpoint: FailingEndpoint, days: number): Promise<void> {
  const { id, org_id: tenant } = endpoint
  const reason = `every attempt failed for ${days} days`
  const [disabled] = await markDisabled(tx, { ids: [id], reason })
  if (!disabled) return
  await skipWaiting(tx, webhookDeliveries, { endpointId: id, by: BY })
  // The warning's alert ends in this one.
  await recoverAlert(tx, { source: ALERTS, subject: id })
  await raiseAlert(tx, {
    ...{ source: ALERTS, subject: id, tenant, code: 'WEBHOOK_DISABLED' },
    detail: `${maskUrl(endpoint.url)} is disabled: ${reason}`,
  })
  await recordAudit(tx, [entryOf(endpoint, BY, 'webhook_endpoint.disabled')])
  await tellOthers(tx, endpoint, { type: 'webhook_endpoint.disabled' })
}

/** Sent to the other endpoints: a copy to the one that fails would only be another failure. */
async function tellOthers(
  tx: Transaction,
  endpoint: FailingEndpoint,
  { type, ...more }: { type: string; disablesAt?: string },
): Promise<void> {
  const { id, org_id: org, failing_since: since, last_failed_at: last } = endpoint
  await enqueueEvent(tx, {
    ...{ org, type, id: `${type}.${id}.${since.getTime()}`, except: id },
    data: {
      ...{ endpointId: id, url: maskUrl(endpoint.url), ...more },
      ...{ failingSince: since.toISOString(), lastFailedAt: last.toISOString() },
    },
  })
}

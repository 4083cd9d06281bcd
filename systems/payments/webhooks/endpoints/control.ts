import type { Outbox, Transaction } from '@posthorn/engine'
import { cancel, raiseAlert, recoverAlert } from '@posthorn/operate'
import { recordAudit } from '../../queries.ts'
import { selectWaiting } from '../deliveries/queries.ts'
import type { WebhookDelivery } from '../deliveries/delivery.ts'
import { insertTallies } from '../health/queries.ts'
import type { Endpoint } from './endpoint.ts'
import { markDisabled, markEnabled } from './queries.ts'

/** Alerts about endpoints, beside the outbox's own about deliveries. */
export const ALERTS = 'payments.webhook-endpoints'

/** Deliveries that are ended at once; more than these end when they are due. */
const AT_ONCE = 10_000

/** Ends everything that waits for an endpoint: it can be replayed. */
export async function skipWaiting(
  tx: Transaction,
  outbox: Outbox<WebhookDelivery>,
  { endpointId, by }: { endpointId: string; by: string },
): Promise<void> {
  const ids = await selectWaiting(tx, { endpointId, limit: AT_ONCE })
  if (ids.length === 0) return
  await cancel(tx, outbox, { ids, by, reason: 'the endpoint is disabled' })
  await insertTallies(tx, [{ endpointId, skipped: ids.length }])
}

export async function disableEndpoint(
  tx: Transaction,
  outbox: Outbox<WebhookDelivery>,
  { endpoint, by, reason }: { endpoint: Endpoint; by: string; reason?: string | undefined },
): Promise<Endpoint> {
  const why = `disabled by ${by}${reason === undefined ? '' : `: ${reason}`}`
  const [disabled] = await markDisabled(tx, { ids: [endpoint.id], reason: why })
  if (!disabled) return endpoint
  await skipWaiting(tx, outbox, { endpointId: endpoint.id, by })
  await recordAudit(tx, entryOf(disabled, by, 'webhook_endpoint.disabled'))
  return disabled
}

export async function enableEndpoint(
  tx: Transaction,
  { endpoint, by }: { endpoint: Endpoint; by: string },
): Promise<Endpoint> {
  if (endpoint.status === 'enabled') return endpoint
  const enabled = await markEnabled(tx, endpoint.id)
  await recoverAlert(tx, { source: ALERTS, subject: endpoint.id })
  await recordAudit(tx, entryOf(enabled, by, 'webhook_endpoint.enabled'))
  return enabled
}

/** Disables endpoints that answered 410, with an alert for each. */
export async function disableGone(
  tx: Transaction,
  outbox: Outbox<WebhookDelivery>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const by = 'WEBHOOK_RELAY'
  // In one order, so that two transactions cannot deadlock.
  const reason = 'Endpoint answered 410'
  const disabled = await markDisabled(tx, { ids: [...ids].sort(), reason })
  for (const endpoint of disabled) {
    await skipWaiting(tx, outbox, { endpointId: endpoint.id, by })
    await raiseAlert(tx, {
      ...{ source: ALERTS, subject: endpoint.id, tenant: endpoint.org_id, code: 'WEBHOOK_GONE' },
      detail: `${endpoint.url} answered 410 and is disabled`,
    })
  }
  const entries = disabled.map((each) => entryOf(each, by, 'webhook_endpoint.disabled'))
  await recordAudit(tx, ...entries)
}

/** The audit entry of something done to an endpoint. */
export function entryOf(
  endpoint: Pick<Endpoint, 'id' | 'org_id' | 'url'>,
  actor: string,
  action: string,
) {
  const { id, org_id: org, url } = endpoint
  return { org, actor, action, entity: 'webhook_endpoint', entityId: id, details: { url } }
}

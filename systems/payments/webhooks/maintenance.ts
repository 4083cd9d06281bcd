import { transaction, type Transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert, type PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import {
  MOST_TALLIES,
  noteFailing,
  sumTallies,
  markWarned,
  selectFailing,
  type FailingEndpoint,
} from './health/queries.ts'
import { recordAudit } from '../queries.ts'
import { enqueueEvent } from './event.ts'
import { webhookDeliveries } from './outbox.ts'
import { ALERTS, entryOf, skipWaiting } from './endpoints/control.ts'
import { markDisabled } from './endpoints/queries.ts'

const BY = 'WEBHOOK_MAINTENANCE'
const DAY_MS = 86_400_000

/** The alerts of endpoints whose failures are over. */
async function recoverEndpoints(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const subject of ids) await recoverAlert(tx, { source: ALERTS, subject })
}

/**
 * Warns the owners of endpoints that have only failed for half of the days, and disables those that
 * have for all of them. Both are an alert and an event to the organisation's other endpoints.
 */
async function reviewFailing(tx: Transaction, days: number): Promise<void> {
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
    detail: `${endpoint.url} has only failed since ${since.toISOString()}; it is disabled after ${days} days of that`,
  })
  await recordAudit(tx, entryOf(endpoint, BY, 'webhook_endpoint.failing'))
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
    detail: `${endpoint.url} is disabled: ${reason}`,
  })
  await recordAudit(tx, entryOf(endpoint, BY, 'webhook_endpoint.disabled'))
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
      ...{ endpointId: id, url: endpoint.url, ...more },
      ...{ failingSince: since.toISOString(), lastFailedAt: last.toISOString() },
    },
  })
}

/** Health reads what is not summed up yet one by one: it must not become much. */
const EVERY_MS = 10_000

/**
 * Sums up what went to endpoints, for their health, and disables those that have only failed for
 * days; 0 for never.
 */
export function webhookMaintenance(pool: Pool, disableAfterDays: number): PeriodicTask {
  return {
    name: 'payments.webhook-maintenance',
    everyMs: EVERY_MS,
    idleMs: 60_000,
    async step() {
      const tallies = await tallyEndpoints(pool, disableAfterDays)
      if (tallies === 0) return 'idle'
      return tallies === MOST_TALLIES ? 'more' : undefined
    },
  }
}

/** Sums up what there is, and acts on what it says. Returns how many tallies there were. */
export async function tallyEndpoints(pool: Pool, disableAfterDays: number): Promise<number> {
  const summed = await transaction(pool, async (tx) => {
    const found = await sumTallies(tx)
    await recoverEndpoints(tx, await noteFailing(tx, found))
    return found
  })
  if (disableAfterDays > 0) await transaction(pool, (tx) => reviewFailing(tx, disableAfterDays))
  return summed[0]?.tallies ?? 0
}

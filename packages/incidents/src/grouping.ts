import { enqueueAll, transaction, uuid, type Transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import { nameInDetails, type NameDestinations } from '@posthorn/system'
import type { Pool } from 'pg'
import type { NoticeKind } from './form.ts'
import { NOTICES, notices } from './outbox.ts'
import {
  closeIncidents,
  openIncidents,
  reopenIncidents,
  selectIncidents,
  selectListeners,
  tryLockGrouping,
  wakeIncidents,
  type Changed,
} from './queries.ts'

const LOOK_MS = 5_000

/** Makes incidents of alerts, and notices of incidents, in one process at a time. */
export function groupingTask(pool: Pool, name: NameDestinations): PeriodicTask {
  return {
    name: 'incidents.grouping',
    everyMs: LOOK_MS,
    idleMs: 10_000,
    async step() {
      return (await groupAlerts(pool, name)) ? undefined : 'idle'
    },
  }
}

/** One look. Incidents and their notices commit together: neither is there without the other. True if it found any. */
export async function groupAlerts(pool: Pool, name: NameDestinations): Promise<boolean> {
  let hasFound = false
  const write = (tx: Transaction, kind: NoticeKind, changed: readonly Changed[]) => {
    hasFound ||= changed.length > 0
    return writeNotices(tx, { kind, changed, name })
  }
  await transaction(pool, async (tx) => {
    if (!(await tryLockGrouping(tx))) return
    // Its channels were told that it is over.
    await write(tx, 'opened', await reopenIncidents(tx, NOTICES))
    await write(tx, 'opened', await openIncidents(tx, NOTICES))
    await write(tx, 'closed', await closeIncidents(tx))
    await write(tx, 'reminder', await wakeIncidents(tx))
  })
  return hasFound
}

interface Notified {
  readonly kind: NoticeKind
  readonly changed: readonly Changed[]
  readonly name: NameDestinations
}

async function writeNotices(tx: Transaction, { kind, changed, name }: Notified): Promise<void> {
  for (const { id, source, code, tenant, opened_at: openedAt } of changed) {
    const channels = await selectListeners(tx, tenant)
    if (channels.length === 0) continue
    const found = await selectIncidents(tx, { id, tenant: null, state: null })
    const [incident] = await nameInDetails(found, name)
    const payload = {
      ...{ incident: id, source, code, tenant },
      alerts: incident?.alerts ?? 0,
      detail: incident?.detail ?? '',
      openedAt: openedAt.toISOString(),
    }
    await enqueueAll(
      tx,
      notices,
      channels.map((channel) => ({
        id: uuid(),
        channel_id: channel,
        incident_id: id,
        tenant,
        kind,
        payload,
      })),
    )
  }
}

import { enqueueAll, transaction, uuid, type Transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
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
export function groupingTask(pool: Pool): PeriodicTask {
  return {
    name: 'incidents.grouping',
    everyMs: LOOK_MS,
    async step() {
      await groupAlerts(pool)
    },
  }
}

/** One look. Incidents and their notices commit together: neither is there without the other. */
export async function groupAlerts(pool: Pool): Promise<void> {
  await transaction(pool, async (tx) => {
    if (!(await tryLockGrouping(tx))) return
    // Its channels were told that it is over.
    await writeNotices(tx, 'opened', await reopenIncidents(tx, NOTICES))
    await writeNotices(tx, 'opened', await openIncidents(tx, NOTICES))
    await writeNotices(tx, 'closed', await closeIncidents(tx))
    await writeNotices(tx, 'reminder', await wakeIncidents(tx))
  })
}

async function writeNotices(
  tx: Transaction,
  kind: NoticeKind,
  changed: readonly Changed[],
): Promise<void> {
  for (const { id, source, code, tenant, opened_at: openedAt } of changed) {
    const channels = await selectListeners(tx, tenant)
    if (channels.length === 0) continue
    const [incident] = await selectIncidents(tx, { id, tenant: null, state: null })
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

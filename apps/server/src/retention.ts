import type { Log, Metrics } from '@posthorn/engine'
import { applyRetention, continueErasures, type PeriodicTask } from '@posthorn/operate'
import { type Subject } from '@posthorn/operate/internal'
import type { Sealing } from '@posthorn/system'
import type { Pool } from 'pg'
import type { Opened } from './systems/open-systems.ts'

/** Between two runs that remove what is past its time; shown as the next run. */
export const RETENTION_EVERY_MS = 600_000

/** Between two looks for erasures that were asked for. */
const ERASURES_EVERY_MS = 5_000

/** The first run waits until the process has started everything else. */
const FIRST_MS = 15_000

export interface RetentionTaskOptions {
  readonly pool: Pool
  readonly opened: Pick<Opened, 'retention' | 'sealing'>
  readonly log: Log
  readonly metrics: Metrics
}

/** The upkeep of data: what is past its time goes, and persons are erased. */
export function retentionTasks(options: RetentionTaskOptions): PeriodicTask[] {
  const { pool, opened, log, metrics } = options
  const { retention, sealing } = opened
  return [
    {
      name: 'server.retention',
      everyMs: RETENTION_EVERY_MS,
      firstMs: FIRST_MS,
      async step(signal) {
        const { more } = await applyRetention(pool, retention, { log, metrics, signal })
        return more ? 'more' : undefined
      },
    },
    {
      name: 'server.erasures',
      everyMs: ERASURES_EVERY_MS,
      idleMs: 30_000,
      async step(signal) {
        const more = await continueErasures(pool, {
          tables: retention.personal ?? [],
          open: (sealed, id) => openSubject(sealing, id, sealed),
          log,
          signal,
        })
        return more ? 'more' : 'idle'
      },
    },
  ]
}

/** Whom an erasure is about, as it stands in the database until it is done. */
export function sealSubject(sealing: Sealing, erasureId: string, subject: Subject): string {
  return sealing.seal(JSON.stringify(subject), `erasure ${erasureId}`)
}

function openSubject(sealing: Sealing, erasureId: string, sealed: string): Subject {
  return JSON.parse(sealing.open(sealed, `erasure ${erasureId}`)) as Subject
}

import { migrationsFrom } from '@posthorn/engine'
import { documents } from '@posthorn/simulators'
import { defineSystem, type System } from '../system.ts'
import { archiveLimits } from './archive/settings.ts'
import { eventRoutes } from './arrivals/routes.ts'
import { arrivalSweep } from './arrivals/sweep.ts'
import { documentsApi } from './attach/documents.ts'
import { createPause } from './attach/pause.ts'
import { evidenceWorker, inbox } from './attach/attacher.ts'
import { receiveObject } from './jobs/receive.ts'
import { jobRoutes } from './jobs/routes.ts'
import { createNudge } from './nudge.ts'
import { rowsOutbox } from './outbox.ts'
import { fileProcessors } from './processor/file-processor.ts'
import { createProgress } from './progress.ts'
import type { Notify } from './results/notification.ts'
import { resultsWorker } from './results/add-up.ts'
import { rowRoutes } from './rows/routes.ts'
import { evidenceRetention } from './retention.ts'
import { evidenceSettings, SIMULATED } from './settings.ts'
import { openStorage } from './storage/settings.ts'
import { uploadRoutes } from './upload/routes.ts'

export type { MerchantEvent, Notify } from './results/notification.ts'

/** Between two polls for files that other processes received. */
const LOOK_MS = 500
/** Between two sums of what became of rows. */
const ADD_UP_MS = 250

/**
 * Files of evidence: every row of an uploaded CSV is published and attached to its case, with retries,
 * and the merchant is notified of the results. `notify` writes an event for the merchant's webhooks.
 */
export function evidence({ notify }: { readonly notify: Notify }): System {
  return defineSystem({
    name: 'evidence',
    settings: evidenceSettings,
    migrations: () => migrationsFrom('evidence', new URL('./migrations/', import.meta.url)),
    open({ pool, log, settings, baseUrl, dataFolder }) {
      const { storage, bucket } = openStorage(settings, dataFolder)
      const { DOCUMENTS_URL: url } = settings
      const leaseMs = settings.EVIDENCE_LEASE_MS
      const outbox = rowsOutbox({
        perMerchant: settings.EVIDENCE_IN_FLIGHT,
        lease: `${leaseMs}ms`,
      })
      const limits = { ...archiveLimits(settings), rows: settings.EVIDENCE_MAX_ROWS }
      const progress = createProgress(log)
      const files = createNudge()
      const api = documentsApi({
        address: () => (url === SIMULATED ? `${baseUrl()}/sim/documents` : url.replace(/\/$/, '')),
        token: settings.DOCUMENTS_TOKEN,
        timeoutMs: settings.DOCUMENTS_TIMEOUT_MS,
        ...{ storage, connections: settings.EVIDENCE_CALLS_AT_ONCE },
      })
      const pause = createPause({ pool, log, probeMs: settings.DOCUMENTS_PROBE_MS })
      const common = { pool, log, notify, progress }
      const received = () => files.ring()
      const arrivals = { pool, log, storage, bucket, receive: receiveObject, received }
      return {
        outboxes: [outbox],
        consumers: [
          evidenceWorker({
            ...{ pool, log, outbox, documents: api, pause },
            callsAtOnce: settings.EVIDENCE_CALLS_AT_ONCE,
          }),
        ],
        workers: [
          ...fileProcessors({
            ...{ ...common, storage, outbox, limits, nudge: files, everyMs: LOOK_MS },
            leaseMs,
            spoolFolder: settings.EVIDENCE_SPOOL_FOLDER,
            lanes: settings.EVIDENCE_FILES_AT_ONCE,
          }),
          resultsWorker({ ...common, everyMs: ADD_UP_MS }),
          arrivalSweep({ ...arrivals, everyMs: settings.EVIDENCE_SWEEP_MS }),
        ],
        retention: evidenceRetention({ storage, inbox }),
        simulators: url === SIMULATED ? [documents()] : [],
        async routes(app) {
          await uploadRoutes(app, {
            ...{ pool, storage, maxBytes: limits.zipBytes },
            limits: {
              unreadJobs: settings.EVIDENCE_UNREAD_JOBS,
              rowsPerDay: settings.EVIDENCE_ROWS_PER_DAY,
            },
            received,
          })
          eventRoutes(app, { ...arrivals, token: settings.S3_EVENTS_TOKEN })
          jobRoutes(app, { pool, outbox })
          rowRoutes(app, { pool })
        },
      }
    },
  })
}

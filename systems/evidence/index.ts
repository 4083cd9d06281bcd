import { migrationsFrom } from '@posthorn/engine'
import { documents } from './simulators/index.ts'
import { mail } from '@posthorn/simulators'
import { SIMULATED_MAILBOX, createMailer } from '@posthorn/system/mailer'
import {
  type FindDeliveries,
  type Notify,
  type System,
  auditSource,
  defineSystem,
} from '@posthorn/system'
import { demo } from './demo.ts'
import { SIMULATED, archiveLimits, evidenceSettings } from './settings.ts'
import { eventRoutes } from './arrivals/routes.ts'
import { arrivalSweep } from './arrivals/arrival.ts'
import { documentsApi } from './attach/documents.ts'
import { createPause } from './attach/pause.ts'
import { evidenceWorker, inbox } from './attach/attacher.ts'
import { receiveObject } from './jobs/receive.ts'
import { jobRoutes } from './jobs/routes.ts'
import { fileProcessors } from './processor/file-processor.ts'
import { rowsOutbox } from './outbox.ts'
import { createProgress } from './progress.ts'
import { MAIL_TRANSPORT, mailTransport, mailsOutbox } from './results/mails.ts'
import { resultsWorker } from './results/add-up.ts'
import { rowAudit } from './rows/queries.ts'
import { rowRoutes } from './rows/routes.ts'
import { evidenceRetention } from './retention.ts'
import { clamdScanner } from './scan/clamd.ts'
import { openStorage } from './storage/settings.ts'
import { uploadRoutes } from './upload/routes.ts'
import { followRows, searchFiles } from './things/queries.ts'

export interface EvidenceOptions {
  /** Default: merchants get no webhooks about their files. */
  readonly notify?: Notify
  /** Default: what became of an event is not known. */
  readonly findDeliveries?: FindDeliveries
}

/** Between two sums of what became of rows. */
const ADD_UP_MS = 250

/**
 * Files of evidence: every row of an uploaded CSV is published and attached to its case, with retries,
 * and the merchant is notified of the results. `notify` writes an event for the merchant's webhooks,
 * `findDeliveries` says what became of it.
 */
export function evidence({
  notify = async () => undefined,
  findDeliveries = async () => [],
}: EvidenceOptions): System {
  return defineSystem({
    name: 'evidence',
    demo,
    settings: evidenceSettings,
    migrations: () => migrationsFrom('evidence', new URL('./migrations/', import.meta.url)),
    web: new URL('./web/', import.meta.url),
    open({ pool, log, settings, baseUrl, dataFolder, simulatorAddress }) {
      const { storage, bucket } = openStorage(settings, dataFolder)
      const { DOCUMENTS_URL: url } = settings
      const outbox = rowsOutbox({
        perMerchant: settings.EVIDENCE_IN_FLIGHT,
        lease: `${settings.EVIDENCE_LEASE_MS}ms`,
      })
      const limits = { ...archiveLimits(settings), rows: settings.EVIDENCE_MAX_ROWS }
      const progress = createProgress(log)
      const api = documentsApi({
        address: () => (url === SIMULATED ? `${baseUrl()}/sim/documents` : url.replace(/\/$/, '')),
        token: settings.DOCUMENTS_TOKEN,
        timeoutMs: settings.DOCUMENTS_TIMEOUT_MS,
        ...{ storage, connections: settings.EVIDENCE_CALLS_AT_ONCE },
      })
      const pause = createPause({ pool, log, probeMs: settings.DOCUMENTS_PROBE_MS })
      const common = { pool, log, notify, progress }
      const mailer = createMailer({ settings, simulatorAddress })
      const scanner =
        settings.CLAMD_ADDRESS === undefined ? undefined : clamdScanner(settings.CLAMD_ADDRESS)
      const rowsPerDay = settings.EVIDENCE_ROWS_PER_DAY
      const arrivals = { pool, log, storage, bucket, receive: receiveObject }
      const files = fileProcessors({
        ...{ ...common, storage, outbox, limits },
        spoolFolder: settings.EVIDENCE_SPOOL_FOLDER,
        atOnce: settings.EVIDENCE_FILES_AT_ONCE,
        ...{ scanner, rowsPerDay, batchRows: settings.EVIDENCE_BATCH_ROWS },
      })
      return {
        outboxes: [outbox, mailsOutbox, ...files.map((file) => file.outbox)],
        handlers: files,
        transports: { [MAIL_TRANSPORT]: mailTransport(mailer, settings.MAIL_FROM) },
        consumers: [
          evidenceWorker({
            ...{ pool, log, outbox, documents: api, pause },
            callsAtOnce: settings.EVIDENCE_CALLS_AT_ONCE,
          }),
        ],
        workers: [
          resultsWorker({ ...common, outbox, everyMs: ADD_UP_MS }),
          arrivalSweep({ ...arrivals, everyMs: settings.EVIDENCE_SWEEP_MS }),
        ],
        searches: [searchFiles],
        follows: [followRows],
        retention: evidenceRetention({ storage, inbox }),
        audits: [auditSource('evidence.audit_log', 'wall'), rowAudit],
        simulators: [
          ...(url === SIMULATED ? [documents()] : []),
          ...(settings.SMTP_URL === SIMULATED_MAILBOX ? [mail()] : []),
        ],
        async routes(app) {
          await uploadRoutes(app, {
            ...{ pool, storage, maxBytes: limits.zipBytes },
            limits: {
              unreadJobs: settings.EVIDENCE_UNREAD_JOBS,
              rowsPerDay,
            },
            sameWithinDays: settings.EVIDENCE_SAME_FILE_DAYS,
            atOnce: {
              inAll: settings.EVIDENCE_UPLOADS_AT_ONCE,
              perOrg: settings.EVIDENCE_UPLOADS_PER_MERCHANT,
            },
            pace: {
              minBytesPerSecond: settings.EVIDENCE_UPLOAD_BYTES_PER_SECOND,
              windowMs: settings.EVIDENCE_UPLOAD_WINDOW_MS,
            },
          })
          eventRoutes(app, { ...arrivals, token: settings.S3_EVENTS_TOKEN })
          jobRoutes(app, { pool, outbox, findDeliveries })
          rowRoutes(app, { pool, storage })
        },
      }
    },
  })
}

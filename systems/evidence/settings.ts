import { Type, type Static } from 'typebox'
import { wholeNumber } from '@posthorn/system'
import { mailSettings } from '@posthorn/system/mailer'
import { storageSettings } from './storage/settings.ts'
import { DEFAULT_LIMITS, type ArchiveLimits } from './archive/limits.ts'

const amount = (description: string, usual: number) =>
  wholeNumber(description, [1, 1_000_000_000_000, usual])

/** What archives may cost, as the part of the system's settings. */
const archiveSettings = {
  EVIDENCE_MAX_ZIP_BYTES: amount('bytes of a ZIP', DEFAULT_LIMITS.zipBytes),
  EVIDENCE_MAX_ENTRIES: amount('entries of a ZIP', DEFAULT_LIMITS.entries),
  EVIDENCE_MAX_CSV_BYTES: amount('bytes of the CSV in a ZIP', DEFAULT_LIMITS.csvBytes),
  EVIDENCE_MAX_FILE_BYTES: amount('bytes of one evidence file', DEFAULT_LIMITS.fileBytes),
  EVIDENCE_MAX_INFLATED_BYTES: amount(
    'bytes of all files of a ZIP, unpacked',
    DEFAULT_LIMITS.inflatedBytes,
  ),
  EVIDENCE_MAX_RATIO: amount('unpacked bytes per packed byte', DEFAULT_LIMITS.ratio),
  EVIDENCE_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description:
        'folder for the ZIPs that a process reads at once; default the folder of temporary files',
    }),
  ),
}

const schema = Type.Object(archiveSettings)
type ArchiveSettings = Static<typeof schema>

export function archiveLimits(settings: ArchiveSettings): ArchiveLimits {
  return {
    ...DEFAULT_LIMITS,
    zipBytes: settings.EVIDENCE_MAX_ZIP_BYTES,
    entries: settings.EVIDENCE_MAX_ENTRIES,
    csvBytes: settings.EVIDENCE_MAX_CSV_BYTES,
    fileBytes: settings.EVIDENCE_MAX_FILE_BYTES,
    inflatedBytes: settings.EVIDENCE_MAX_INFLATED_BYTES,
    ratio: settings.EVIDENCE_MAX_RATIO,
  }
}

/** How objects under `incoming/` are noticed, as the part of the system's settings. */
const arrivalSettings = {
  S3_EVENTS_TOKEN: Type.Optional(
    Type.String({
      description: "bearer token of the sender of the bucket's events",
      pattern: '^[\\x21-\\x7e]{16,}$',
      secret: true,
    }),
  ),
  EVIDENCE_SWEEP_MS: wholeNumber(
    'how often to search incoming/ for unannounced files, in ms',
    [100, 86_400_000, 60_000],
  ),
}

/** Stands for the simulated document API of this server. */
export const SIMULATED = 'simulated'

export const evidenceSettings = Type.Object({
  DOCUMENTS_URL: Type.String({
    description:
      'address of the document management API, http(s)://…; in development the simulated one',
    pattern: `^(${SIMULATED}|https?://.+)$`,
    default: SIMULATED,
    production: 'required',
  }),
  DOCUMENTS_TOKEN: Type.Optional(
    Type.String({
      description: 'bearer token for the document management API',
      pattern: '^[\\x21-\\x7e]+$',
      secret: true,
    }),
  ),
  DOCUMENTS_TIMEOUT_MS: wholeNumber(
    'longest time to attach the files of a row, in ms',
    [100, 3_600_000, 60_000],
  ),
  DOCUMENTS_PROBE_MS: wholeNumber(
    'how often a refused worker (401, 403) tries again, in ms',
    [10, 3_600_000, 30_000],
  ),
  EVIDENCE_IN_FLIGHT: wholeNumber(
    'published rows of one merchant without an outcome, at most; 0: no limit',
    [0, 1_000_000, 1_000],
  ),
  EVIDENCE_CALLS_AT_ONCE: wholeNumber(
    'concurrent calls of the document management API per process',
    [1, 1_000, 32],
  ),
  EVIDENCE_FILES_AT_ONCE: wholeNumber(
    'files over 5 MB that a process reads at once, and as many small ones',
    [1, 64, 4],
  ),
  EVIDENCE_LEASE_MS: wholeNumber(
    'lease of a row: after this silence of its process another takes over, in ms',
    [500, 3_600_000, 30_000],
  ),
  EVIDENCE_MAX_ROWS: wholeNumber('rows of a CSV', [1, 67_000_000, 1_100_000]),
  EVIDENCE_UNREAD_JOBS: wholeNumber(
    'unread files of one merchant, at most; further uploads are refused',
    [1, 1_000_000, 100],
  ),
  EVIDENCE_BATCH_ROWS: wholeNumber('rows of a CSV stored in one transaction', [1, 100_000, 1_000]),
  EVIDENCE_SAME_FILE_DAYS: wholeNumber(
    'days within which the same file of a merchant causes a warning; 0: never',
    [0, 3_650, 30],
  ),
  EVIDENCE_UPLOADS_AT_ONCE: wholeNumber('concurrent uploads per process', [1, 100_000, 200]),
  EVIDENCE_UPLOADS_PER_MERCHANT: wholeNumber(
    'concurrent uploads of one merchant per process',
    [1, 100_000, 8],
  ),
  EVIDENCE_UPLOAD_BYTES_PER_SECOND: wholeNumber(
    'slowest upload, in bytes a second; a slower one ends with 408',
    [1, 1_000_000_000, 10_000],
  ),
  EVIDENCE_UPLOAD_WINDOW_MS: wholeNumber(
    'period over which the speed of an upload is measured, in ms',
    [100, 600_000, 30_000],
  ),
  CLAMD_ADDRESS: Type.Optional(
    Type.String({
      description:
        'virus scanner of evidence files, tcp://host:3310 or unix:/path; without it nothing is scanned',
      pattern: '^(tcp://.+:[0-9]+|unix:/.+)$',
    }),
  ),
  EVIDENCE_ROWS_PER_DAY: wholeNumber(
    'rows of one merchant in 24 hours; beyond them uploads are refused and objects wait',
    [1, 1_000_000_000_000, 10_000_000],
  ),
  ...mailSettings,
  ...storageSettings,
  ...archiveSettings,
  ...arrivalSettings,
})

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
  EVIDENCE_MAX_RATIO: amount('unpacked bytes for each packed one', DEFAULT_LIMITS.ratio),
  EVIDENCE_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description:
        'the folder on a disk with room for the ZIPs that a process reads at once; without it the one for temporary files',
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
      description: "what the sender of the bucket's events proves itself by, as a bearer token",
      pattern: '^[\\x21-\\x7e]{16,}$',
      secret: true,
    }),
  ),
  EVIDENCE_SWEEP_MS: wholeNumber(
    'how often incoming/ is searched for files that no event announced, in ms',
    [100, 86_400_000, 60_000],
  ),
}

/** Stands for the simulated document API of this server. */
export const SIMULATED = 'simulated'

export const evidenceSettings = Type.Object({
  DOCUMENTS_URL: Type.String({
    description: 'the document management API, as http(s)://…; in development the simulated one',
    pattern: `^(${SIMULATED}|https?://.+)$`,
    default: SIMULATED,
    production: 'required',
  }),
  DOCUMENTS_TOKEN: Type.Optional(
    Type.String({
      description: 'what the document management API knows us by, sent as a bearer token',
      pattern: '^[\\x21-\\x7e]+$',
      secret: true,
    }),
  ),
  DOCUMENTS_TIMEOUT_MS: wholeNumber(
    'how long the files of a row may take to be attached, in ms',
    [100, 3_600_000, 60_000],
  ),
  DOCUMENTS_PROBE_MS: wholeNumber(
    'how often a worker that is not let in (401, 403) tries again, in ms',
    [10, 3_600_000, 30_000],
  ),
  EVIDENCE_IN_FLIGHT: wholeNumber(
    'rows of one merchant that are published and without an outcome, at the most; 0 for no bound',
    [0, 1_000_000, 1_000],
  ),
  EVIDENCE_CALLS_AT_ONCE: wholeNumber(
    'calls of the document management API that one process makes at once',
    [1, 1_000, 32],
  ),
  EVIDENCE_FILES_AT_ONCE: wholeNumber(
    'files over 5 MB that one process reads at once, and as many small ones',
    [1, 64, 4],
  ),
  EVIDENCE_LEASE_MS: wholeNumber(
    'how long a row is left to a process that is not heard of, in ms',
    [500, 3_600_000, 30_000],
  ),
  EVIDENCE_MAX_ROWS: wholeNumber('rows of a CSV', [1, 67_000_000, 1_100_000]),
  EVIDENCE_UNREAD_JOBS: wholeNumber(
    'files of one merchant that may wait to be read; another upload is refused',
    [1, 1_000_000, 100],
  ),
  EVIDENCE_BATCH_ROWS: wholeNumber(
    'rows of a CSV that are stored in one transaction',
    [1, 100_000, 1_000],
  ),
  EVIDENCE_SAME_FILE_DAYS: wholeNumber(
    'how long the same file of a merchant is worth a warning, in days; 0 for never',
    [0, 3_650, 30],
  ),
  EVIDENCE_UPLOADS_AT_ONCE: wholeNumber(
    'uploads that one process takes at once, of all merchants',
    [1, 100_000, 200],
  ),
  EVIDENCE_UPLOADS_PER_MERCHANT: wholeNumber(
    'uploads of one merchant that one process takes at once',
    [1, 100_000, 8],
  ),
  EVIDENCE_UPLOAD_BYTES_PER_SECOND: wholeNumber(
    'the slowest that an upload may be; one that brings less is ended with 408',
    [1, 1_000_000_000, 10_000],
  ),
  EVIDENCE_UPLOAD_WINDOW_MS: wholeNumber(
    'over how long the pace of an upload is measured, in ms',
    [100, 600_000, 30_000],
  ),
  CLAMD_ADDRESS: Type.Optional(
    Type.String({
      description:
        'the virus scanner of evidence files, as tcp://host:3310 or unix:/path; without it nothing is scanned',
      pattern: '^(tcp://.+:[0-9]+|unix:/.+)$',
    }),
  ),
  EVIDENCE_ROWS_PER_DAY: wholeNumber(
    'rows of one merchant in 24 hours; once they are used up, uploads are refused and objects wait',
    [1, 1_000_000_000_000, 10_000_000],
  ),
  ...mailSettings,
  ...storageSettings,
  ...archiveSettings,
  ...arrivalSettings,
})

export type EvidenceSettings = Static<typeof evidenceSettings>

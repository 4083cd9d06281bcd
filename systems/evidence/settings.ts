import { Type, type Static } from 'typebox'
import { mailSettings } from '../mailer.ts'
import { archiveSettings } from './archive/settings.ts'
import { arrivalSettings } from './arrivals/settings.ts'
import { storageSettings } from './storage/settings.ts'

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
  DOCUMENTS_TIMEOUT_MS: Type.Integer({
    description: 'how long the files of a row may take to be attached, in ms',
    minimum: 100,
    maximum: 3_600_000,
    default: 60_000,
  }),
  DOCUMENTS_PROBE_MS: Type.Integer({
    description: 'how often a worker that is not let in (401, 403) tries again, in ms',
    minimum: 10,
    maximum: 3_600_000,
    default: 30_000,
  }),
  EVIDENCE_IN_FLIGHT: Type.Integer({
    description:
      'rows of one merchant that are published and without an outcome, at the most; 0 for no bound',
    minimum: 0,
    maximum: 1_000_000,
    default: 1_000,
  }),
  EVIDENCE_CALLS_AT_ONCE: Type.Integer({
    description: 'calls of the document management API that one process makes at once',
    minimum: 1,
    maximum: 1_000,
    default: 32,
  }),
  EVIDENCE_FILES_AT_ONCE: Type.Integer({
    description: 'files that one process reads at once; with two or more, one of them is small',
    minimum: 1,
    maximum: 64,
    default: 4,
  }),
  EVIDENCE_LEASE_MS: Type.Integer({
    description: 'how long a file or a row is left to a process that is not heard of, in ms',
    minimum: 500,
    maximum: 3_600_000,
    default: 30_000,
  }),
  EVIDENCE_MAX_ROWS: Type.Integer({
    description: 'rows of a CSV',
    minimum: 1,
    maximum: 67_000_000,
    default: 1_100_000,
  }),
  EVIDENCE_UNREAD_JOBS: Type.Integer({
    description: 'files of one merchant that may wait to be read; another upload is refused',
    minimum: 1,
    maximum: 1_000_000,
    default: 100,
  }),
  EVIDENCE_BATCH_ROWS: Type.Integer({
    description: 'rows of a CSV that are stored in one transaction',
    minimum: 1,
    maximum: 100_000,
    default: 5_000,
  }),
  EVIDENCE_SAME_FILE_DAYS: Type.Integer({
    description: 'how long the same file of a merchant is worth a warning, in days; 0 for never',
    minimum: 0,
    maximum: 3_650,
    default: 30,
  }),
  EVIDENCE_UPLOADS_AT_ONCE: Type.Integer({
    description: 'uploads that one process takes at once, of all merchants',
    minimum: 1,
    maximum: 100_000,
    default: 200,
  }),
  EVIDENCE_UPLOADS_PER_MERCHANT: Type.Integer({
    description: 'uploads of one merchant that one process takes at once',
    minimum: 1,
    maximum: 100_000,
    default: 8,
  }),
  EVIDENCE_UPLOAD_BYTES_PER_SECOND: Type.Integer({
    description: 'the slowest that an upload may be; one that brings less is ended with 408',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 10_000,
  }),
  EVIDENCE_UPLOAD_WINDOW_MS: Type.Integer({
    description: 'over how long the pace of an upload is measured, in ms',
    minimum: 100,
    maximum: 600_000,
    default: 30_000,
  }),
  CLAMD_ADDRESS: Type.Optional(
    Type.String({
      description:
        'the virus scanner of evidence files, as tcp://host:3310 or unix:/path; without it nothing is scanned',
      pattern: '^(tcp://.+:[0-9]+|unix:/.+)$',
    }),
  ),
  EVIDENCE_ROWS_PER_DAY: Type.Integer({
    description:
      'rows of one merchant in 24 hours; once they are used up, uploads are refused and objects wait',
    minimum: 1,
    maximum: 1_000_000_000_000,
    default: 10_000_000,
  }),
  ...mailSettings,
  ...storageSettings,
  ...archiveSettings,
  ...arrivalSettings,
})

export type EvidenceSettings = Static<typeof evidenceSettings>

import { Type } from 'typebox'

/** What uploads read from the environment. */
export const uploadSettings = {
  RECONCILIATION_MAX_BYTES: Type.Integer({
    description: 'the largest file of a reconciliation, in bytes, from 1024 to 10000000000',
    minimum: 1_024,
    maximum: 10_000_000_000,
    default: 1_000_000_000,
  }),
  RECONCILIATION_MAX_RECORDS: Type.Integer({
    description:
      'the most records of a file, from 1 to 20000000; each takes up to 48 bytes of memory',
    minimum: 1,
    maximum: 20_000_000,
    default: 2_000_000,
  }),
  RECONCILIATION_MAX_UPLOADS: Type.Integer({
    description:
      'files that a server takes at the same time, from 1 to 100; each is on its disk until it is loaded',
    minimum: 1,
    maximum: 100,
    default: 8,
  }),
  RECONCILIATION_UPLOADS_PER_ORG: Type.Integer({
    description: 'of them, those of one organisation, from 1 to 100',
    minimum: 1,
    maximum: 100,
    default: 2,
  }),
  RECONCILIATION_UPLOAD_BYTES_PER_SECOND: Type.Integer({
    description: 'the slowest that a file may come; one that brings less is ended with 408',
    minimum: 1,
    maximum: 1_000_000_000,
    default: 10_000,
  }),
  RECONCILIATION_UPLOAD_WINDOW_MS: Type.Integer({
    description: 'over how long the pace of a file is measured, in ms',
    minimum: 100,
    maximum: 600_000,
    default: 30_000,
  }),
  RECONCILIATION_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description:
        'the folder on a disk with room for the files that a server takes at the same time; without it the one for temporary files',
    }),
  ),
}

/** What reconciliation reads from the environment. */
export const reconciliationSettings = {
  ...uploadSettings,
  RECONCILIATION_MEMORY_MB: Type.Integer({
    description:
      'megabytes that Postgres may use for each sort or join of a run before it uses its disk, from 4 to 2048',
    minimum: 4,
    maximum: 2_048,
    default: 64,
  }),
}

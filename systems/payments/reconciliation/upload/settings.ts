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
    default: 4,
  }),
  RECONCILIATION_UPLOAD_MS: Type.Integer({
    description: 'milliseconds for a file to arrive, from 1000 to 3600000',
    minimum: 1_000,
    maximum: 3_600_000,
    default: 600_000,
  }),
  RECONCILIATION_SPOOL_FOLDER: Type.Optional(
    Type.String({
      description:
        'the folder on a disk with room for the files that a server takes at the same time; without it the one for temporary files',
    }),
  ),
}

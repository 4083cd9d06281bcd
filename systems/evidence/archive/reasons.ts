import { ZIP_REASONS } from '@posthorn/bulk/zip'

/** Why an archive is not taken: a job that is `REJECTED` carries the code. */
export const ARCHIVE_REASONS = {
  ...ZIP_REASONS,
  NO_CSV: 'The archive holds no CSV file.',
  SEVERAL_CSVS: 'The archive holds more than one CSV file.',
  CSV_TOO_LARGE: 'The CSV file is larger than allowed.',
  CSV_DAMAGED: 'The CSV file cannot be unpacked, or its checksum is wrong.',
} as const

export type ArchiveReason = keyof typeof ARCHIVE_REASONS

/** The whole archive is refused: its job ends `REJECTED`. */
export class ArchiveRejected extends Error {
  readonly code = 'ARCHIVE_REJECTED'
  readonly reason: ArchiveReason
  /** A sentence about this archive, for the merchant. */
  readonly detail: string

  constructor(reason: ArchiveReason, detail: string, options?: ErrorOptions) {
    super(`${reason}: ${detail}`, options)
    this.name = 'ArchiveRejected'
    this.reason = reason
    this.detail = detail
  }
}

/** Why one evidence file is not taken, while the rest of the archive is. */
export const FILE_FAULTS = {
  FILE_MISSING: 'The archive holds no file of that name.',
  FILE_EMPTY: 'The file is empty.',
  FILE_TOO_LARGE: 'The file is larger than allowed.',
  FILE_TYPE: 'The file is no PDF, JPEG, PNG or TIFF.',
  FILE_INFECTED: 'The virus scanner found something in the file.',
  FILE_UNSCANNED: 'The virus scanner does not take the file.',
  FILE_DAMAGED: 'The file cannot be unpacked, or its size or checksum is wrong.',
} as const

export type FileFault = keyof typeof FILE_FAULTS

/** One evidence file is refused: its rows become `INVALID_FILE`, the rest go on. */
export class BadFileError extends Error {
  readonly code: FileFault
  readonly detail: string

  constructor(code: FileFault, detail: string, options?: ErrorOptions) {
    super(`${code}: ${detail}`, options)
    this.name = 'BadFileError'
    this.code = code
    this.detail = detail
  }
}

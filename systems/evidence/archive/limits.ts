import { DEFAULT_LIMITS as ZIP_LIMITS, type ZipLimits } from '@posthorn/bulk/zip'

/** What an archive may cost. */
export interface ArchiveLimits extends ZipLimits {
  /** Bytes of the CSV, inflated. */
  readonly csvBytes: number
  /** Bytes of one evidence file, inflated. */
  readonly fileBytes: number
}

export const DEFAULT_LIMITS: ArchiveLimits = {
  ...ZIP_LIMITS,
  csvBytes: 200_000_000,
  fileBytes: 25_000_000,
}

/** What an archive may cost. */
export interface ArchiveLimits {
  /** Bytes of the ZIP itself. */
  readonly zipBytes: number
  readonly entries: number
  /** Bytes of the CSV, inflated. */
  readonly csvBytes: number
  /** Bytes of one evidence file, inflated. */
  readonly fileBytes: number
  /** Bytes of all entries together, inflated. */
  readonly inflatedBytes: number
  /** Inflated bytes for each packed one, counted for an entry and for all. */
  readonly ratio: number
  /** So many inflated bytes are free before the ratio counts. */
  readonly ratioGraceBytes: number
  /** Bytes of a name in UTF-8. */
  readonly nameBytes: number
  /** Folders above a file. */
  readonly depth: number
}

export const DEFAULT_LIMITS: ArchiveLimits = {
  zipBytes: 1_000_000_000,
  entries: 100_000,
  csvBytes: 200_000_000,
  fileBytes: 25_000_000,
  inflatedBytes: 5_000_000_000,
  ratio: 100,
  ratioGraceBytes: 100_000,
  nameBytes: 255,
  depth: 3,
}

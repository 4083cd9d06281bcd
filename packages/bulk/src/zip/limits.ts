/** What a ZIP may cost. */
export interface ZipLimits {
  /** Bytes of the ZIP itself. */
  readonly zipBytes: number
  readonly entries: number
  /** Bytes of all entries together, inflated. */
  readonly inflatedBytes: number
  /** Inflated bytes for each packed one, counted for an entry and for all. */
  readonly ratio: number
  /** So many inflated bytes are free before the ratio counts. */
  readonly ratioGraceBytes: number
  /** Bytes of a name with its folders, in UTF-8. */
  readonly nameBytes: number
}

export const DEFAULT_LIMITS: ZipLimits = {
  zipBytes: 1_000_000_000,
  entries: 100_000,
  inflatedBytes: 5_000_000_000,
  ratio: 100,
  ratioGraceBytes: 100_000,
  nameBytes: 1_024,
}

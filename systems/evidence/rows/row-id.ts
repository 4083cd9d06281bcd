/** Bits for the number of a row: twelve beside the version, fourteen beside the variant. */
const MOST_ROWS = 2 ** 26

/**
 * The id of the row with that number: a UUIDv7 with time and chance of its job's id. The document store
 * knows a row by its id, so one that is read from the same file again, because the database was brought
 * back to a moment before, is recognised there and not attached a second time.
 */
export function rowId(jobId: string, number: number): string {
  if (number >= MOST_ROWS)
    throw new RangeError(`row ${number} of one file is more than there may be`)
  const high = (number >>> 14).toString(16).padStart(3, '0')
  const low = (0x80_00 | (number & 0x3f_ff)).toString(16)
  return `${jobId.slice(0, 13)}-7${high}-${low}-${jobId.slice(-12)}`
}

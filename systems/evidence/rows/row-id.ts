/** Seven of the last hexadecimal digits are the number of a row. */
const NUMBER_DIGITS = 7

/**
 * The id of the row with that number: its job's UUIDv7, which ends with the number, so that people tell
 * the rows of a file apart by what they see of an id. The document store knows a row by its id, so one
 * that is read from the same file again, because the database was brought back to a moment before, is
 * recognised there and not attached a second time.
 */
export function rowId(jobId: string, number: number): string {
  const digits = number.toString(16).padStart(NUMBER_DIGITS, '0')
  if (digits.length > NUMBER_DIGITS)
    throw new RangeError(`row ${number} of one file is more than there may be`)
  return jobId.slice(0, -NUMBER_DIGITS) + digits
}

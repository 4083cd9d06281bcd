import { invalid, type ProblemError } from '@posthorn/http'
import { fieldError, type Mistake } from '../profiles/statement-reader.ts'

/** After so many the rest of a file is not read. */
export const MOST_MISTAKES = 20

/** The answer for a file that is not loaded: `line 7, amount` and the reason for each mistake. */
export function invalidFile(mistakes: readonly Mistake[]): ProblemError {
  return invalid(mistakes.slice(0, MOST_MISTAKES).map(fieldError))
}

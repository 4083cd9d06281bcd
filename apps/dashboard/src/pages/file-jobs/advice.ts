/** What to do about a file that was not taken, by its reason. */
const FILE_ADVICE: Readonly<Record<string, string>> = {
  NOT_A_ZIP: 'Pack CSV and evidence into a ZIP; renaming another file to .zip is not enough.',
  CORRUPT: 'Pack it again, and check that the upload or copy was not cut short.',
  EXTRA_BYTES: 'Pack it again with an ordinary program; nothing may be appended to the archive.',
  TOO_LARGE: 'Split it into several archives, each with the rows of its own files.',
  TOO_MANY_ENTRIES: 'Split it into several archives.',
  TOO_MUCH_INFLATED: 'Split it into several archives.',
  RATIO_EXCEEDED: 'Leave out files that are mostly empty, or send them as they are.',
  ENCRYPTED: 'Pack it without a password.',
  UNSUPPORTED_COMPRESSION: 'Pack it with the usual method (deflate) or without compression.',
  UNSAFE_NAME: 'Rename the file: a short relative path without .. or backslashes.',
  SPECIAL_ENTRY: 'Put the file itself into the archive instead of a link to it.',
  DUPLICATE_NAME: 'Give every file a name of its own; upper and lower case count as the same.',
  OVERLAPPING_ENTRIES: 'Pack it again with an ordinary program.',
  HEADER_MISMATCH: 'Pack it again with an ordinary program.',
  NESTED_ARCHIVE: 'Unpack the inner archive and put its files in directly.',
  NO_CSV: 'Add one CSV with the columns case_id and evidence_files.',
  SEVERAL_CSVS: 'Leave one CSV in the archive; send the others in archives of their own.',
  CSV_TOO_LARGE: 'Split the CSV over several archives.',
  CSV_DAMAGED: 'Pack the CSV again.',
  CSV_ENCODING: 'Save the CSV as UTF-8.',
  CSV_BINARY: 'Save it as CSV text, not as a workbook with another ending.',
  CSV_UNCLOSED_QUOTE: 'Close the quote on the line that is named, or double it inside a text.',
  CSV_MISPLACED_QUOTE: 'Put the whole value in quotes, and double the quotes inside it.',
  CSV_FIELD_TOO_LARGE: 'Shorten the value on the line that is named; often a quote is not closed.',
  CSV_ROW_TOO_LARGE: 'Shorten the line that is named; often a quote is not closed.',
  CSV_TOO_MANY_COLUMNS: 'Leave out columns that are not needed.',
  CSV_RAGGED_ROW: 'Give every line as many columns as the first one.',
  NO_HEADER: 'Name the columns in the first line: case_id,evidence_files.',
  BAD_HEADER: 'Give every column a name, and each name once.',
  NO_ROWS: 'Add a line for each case below the names of the columns.',
  TOO_MANY_ROWS: 'Split the CSV over several archives.',
  OBJECT_MISSING: 'Put the file into the bucket again, or upload it here.',
  OBJECT_CHANGED: 'It was replaced while it was read; the new one has a job of its own.',
  CANCELLED: 'Upload it again if it was cancelled by mistake.',
  PROCESSING_FAILED: 'Upload it again; if that fails too, contact the operator of this server.',
}

/** What to do about a row, by its code. */
const ROW_ADVICE: Readonly<Record<string, string>> = {
  INVALID_ROW: 'Correct the line in the error CSV and upload it in a new ZIP with its files.',
  INVALID_FILE: 'Send a PDF, JPEG, PNG or TIFF that opens, with the line, in a new ZIP.',
  CANCELLED: 'The file was cancelled before this row was sent. Upload it again to send it.',
  API_ERROR: 'No action needed: the worker asks the document service again.',
  MAX_RETRIES_EXCEEDED: 'When the document service works again, retry the errors.',
  EVIDENCE_LOST: 'Upload the line with its files again: they are gone from storage.',
}

/** Undefined for a reason without advice. */
export function adviceForFile(reason: string): string | undefined {
  return FILE_ADVICE[reason]
}

/** A code of the document service stands for a refusal: asking the same again changes nothing. */
export function adviceForRow(code: string): string {
  return (
    ROW_ADVICE[code] ??
    'The document service refused it. Fix the cause there or in the line, then retry the errors.'
  )
}

import type { CsvRow } from '@posthorn/bulk/csv'
import type { InvalidCode } from '../rows/row.ts'

/** What the columns of a CSV are called, and where those are that we read. */
export interface Header {
  /** All names as written, without the columns that `errors.csv` adds. */
  readonly names: readonly string[]
  /** For each column of the file its name; undefined for those that are left out. */
  readonly places: readonly (string | undefined)[]
  readonly caseId: number
  readonly evidenceFiles: number
  /** The columns that are kept as metadata. */
  readonly others: readonly { readonly name: string; readonly place: number }[]
  /** The file is a corrected `errors.csv`: its cells were made safe for spreadsheets. */
  readonly isErrorFile: boolean
}

export const ERROR_COLUMNS = ['row_number', 'error_code', 'error_message'] as const

export type ReadHeader =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'rejected'; readonly reason: HeaderReason; readonly detail: string }

export type HeaderReason = 'NO_HEADER' | 'BAD_HEADER'

/** Reads the first row of a file. Names count without blanks around them, in any case of letters. */
export function readHeader({ values }: CsvRow): ReadHeader {
  const names = values.map((name) => name.trim())
  const plain = names.map((name) => name.toLowerCase())
  const missing = ['case_id', 'evidence_files'].filter((name) => !plain.includes(name))
  if (missing.length > 0) {
    const detail = `The first line of the CSV must name the columns; ${missing.join(' and ')} is missing.`
    return { kind: 'rejected', reason: 'NO_HEADER', detail }
  }
  const twice = plain.find((name, i) => plain.indexOf(name) !== i)
  if (twice !== undefined || plain.includes('')) {
    const detail = twice ? `The column "${twice}" is there twice.` : 'A column has no name.'
    return { kind: 'rejected', reason: 'BAD_HEADER', detail }
  }
  const isErrorFile = ERROR_COLUMNS.every((name) => plain.includes(name))
  const isOurs = (name: string) => (ERROR_COLUMNS as readonly string[]).includes(name)
  const places = names.map((name, i) => (isErrorFile && isOurs(plain[i] ?? '') ? undefined : name))
  const [caseId, evidenceFiles] = [plain.indexOf('case_id'), plain.indexOf('evidence_files')]
  return {
    kind: 'header',
    header: {
      names: places.filter((name) => name !== undefined),
      places,
      caseId,
      evidenceFiles,
      others: places.flatMap((name, place) =>
        name === undefined || place === caseId || place === evidenceFiles ? [] : [{ name, place }],
      ),
      isErrorFile,
    },
  }
}

/** A row of the CSV as it is stored. */
export interface ReadRow {
  readonly line: number
  readonly caseId: string
  readonly evidenceFiles: string
  /** Names in the archive, each once. */
  readonly files: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly fault: { readonly code: InvalidCode; readonly message: string } | undefined
}

const MOST_FILES = 100
const MOST_CASE_ID = 255
const MADE_SAFE = /^'(?=[\t\r\n]|\s*[=+\-@＝＋－＠])/

/** What a row says. `resolve` gives the archive's name for a file, undefined where there is none. */
export function readRow(
  { line, values }: CsvRow,
  header: Header,
  resolve: (name: string) => string | undefined,
): ReadRow {
  const cell = (i: number) => {
    const text = values[i] ?? ''
    return header.isErrorFile ? text.replace(MADE_SAFE, '') : text
  }
  const caseId = cell(header.caseId).trim()
  const evidenceFiles = cell(header.evidenceFiles)
  const named = evidenceFiles
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const found = named.map((name) => resolve(name))
  const files = [...new Set(found.filter((name) => name !== undefined))]
  // Without a prototype: a column may have any name.
  const metadata = Object.create(null) as Record<string, string>
  for (const { name, place } of header.others) metadata[name] = cell(place)
  const problem =
    raggedness(values, header) ?? caseProblem(caseId) ?? filesProblem(named, found, files)
  const fault =
    problem === undefined
      ? undefined
      : { code: 'INVALID_ROW' as const, message: `line ${line}: ${problem}` }
  return { line, caseId, evidenceFiles, files: fault ? [] : files, metadata, fault }
}

function raggedness(values: readonly string[], { places }: Header): string | undefined {
  if (values.length === places.length) return undefined
  return `has ${values.length} columns where the header has ${places.length}`
}

function caseProblem(caseId: string): string | undefined {
  if (caseId === '') return 'case_id is empty'
  return caseId.length > MOST_CASE_ID
    ? `case_id has more than ${MOST_CASE_ID} characters`
    : undefined
}

function filesProblem(
  named: readonly string[],
  found: readonly (string | undefined)[],
  files: readonly string[],
): string | undefined {
  if (named.length === 0) return 'evidence_files is empty'
  const missing = named[found.indexOf(undefined)]
  if (missing !== undefined) return `the file "${missing.slice(0, 255)}" is not in the ZIP`
  return files.length > MOST_FILES ? `names more than ${MOST_FILES} files` : undefined
}

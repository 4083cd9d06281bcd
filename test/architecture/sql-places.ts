import { isMeasured } from './imports.ts'
import { isTest, type SourceFile } from './source-files.ts'
import { readSource, type Literal } from './source-text.ts'

/** Statements outside of the three places, with the reason why each may stay. */
export interface Exception {
  readonly path: string
  readonly statements: RegExp
  readonly reason: string
}

/** Beginnings of statements, long enough that a sentence hardly begins so. */
const STATEMENTS = [
  /^select\s+(?:[\w*$('"{].*\bfrom\s|[\w.]+\(|\*|\d)/is,
  /^insert\s+into\s+\S/i,
  /^update\s+(?:only\s+)?[\w."${}]+(?:\s+as\s+\w+|\s+\w+)?\s+set\s/i,
  /^delete\s+from\s+\S/i,
  /^merge\s+into\s/i,
  /^with\s+(?:recursive\s+)?\w+(?:\s*\([^)]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(/i,
  /^(?:create|alter|drop)\s+(?:or\s+replace\s+|unique\s+|unlogged\s+|temp\s+)*(?:table|index|schema|view|materialized|function|trigger|type|sequence|database|role|extension|publication|domain)\s/i,
  /^truncate\s+(?:table\s+)?[\w.${}]+\s*(?:$|,|;|restart|cascade)/i,
  /^copy\s+[\w."${}]+\s*(?:\([^)]*\)\s*)?(?:from|to)\s+(?:stdin|stdout|')/i,
  /^set\s+(?:local|session)\s+\w/i,
  /^values\s*\(/i,
  /^explain\s+(?:\(|analyze|select)/i,
  /^do\s+\$/i,
]

/** Words which are SQL only where they are sent to a database. */
const COMMAND =
  /^(?:begin|start transaction|commit|rollback|savepoint|release|prepare|listen|unlisten|notify|lock|show|set|reset|vacuum|analyze|discard|select|values|call)\b/i
const SENT = /\b(?:query|execute|exec)\s*(?:<[^>]*>)?\s*\(\s*(?:\{\s*text:\s*)?$/

/** Whether a literal is SQL, or a piece of it. */
export function isSql({ text, before, quote }: Literal): boolean {
  if (quote === '`' && /\bsql\s*(?:<[^>]*>)?\s*$/.test(before)) return true
  const words = text.trimStart()
  if (COMMAND.test(words) && SENT.test(before)) return true
  // A sentence begins with one capital letter, a statement with none or only such.
  return !/^[A-Z][a-z]/.test(words) && STATEMENTS.some((statement) => statement.test(words))
}

/** Where SQL may be: in `<verb>.sql.ts`, in a system's `queries.ts`, and wherever things are tried. */
export function maySpeakSql(path: string): boolean {
  return (
    path.endsWith('.sql.ts') ||
    /^packages\/[\w-]+\/src\/sql\/[\w-]+\.ts$/.test(path) ||
    /\.sql\.ts$/.test(path) ||
    /(^|\/)queries\.ts$/.test(path) ||
    /^(bench|proof|test|scripts|examples)\//.test(path) ||
    isMeasured(path) ||
    path.includes('/testing/') ||
    isTest(path)
  )
}

/** The statements of a file that belong elsewhere, each with its line. */
export function findMisplacedSql(file: SourceFile, exceptions: readonly Exception[]): string[] {
  if (maySpeakSql(file.path)) return []
  const allowed = exceptions.filter(({ path }) => path === file.path)
  return readSource(file.text)
    .literals.filter((literal) => isSql(literal))
    .filter(({ text }) => !allowed.some(({ statements }) => statements.test(text)))
    .map(({ text, line }) => `${file.path}:${line}: ${text.trim().split('\n')[0]}`)
}

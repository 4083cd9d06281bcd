/**
 * The fields of a log line. An error is under `err`, where serializers look for it: under another
 * name it is logged as `{}`, or a database error with the contents of its rows.
 */
export interface LogDetails {
  readonly err?: unknown
  readonly error?: never
  readonly cause?: never
  readonly [field: string]: unknown
}

/** The four calls the engine makes; pino, console and OpenTelemetry's logger all fit. */
export interface Log {
  debug(details: LogDetails, message: string): void
  info(details: LogDetails, message: string): void
  warn(details: LogDetails, message: string): void
  error(details: LogDetails, message: string): void
}

/** Prints warnings and errors, so that a failure is seen where no log was chosen. */
export const consoleLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  // oxlint-disable-next-line no-console -- what it is for
  warn: (details, message) => console.warn(lineOf(details, message)),
  // oxlint-disable-next-line no-console -- as above
  error: (details, message) => console.error(lineOf(details, message)),
}

/** One line; of an error what it says, not what hangs on it: a database error carries rows. */
function lineOf({ err, ...details }: LogDetails, message: string): string {
  const fields = Object.entries(details).map(([name, value]) => `${name}=${textOf(value)}`)
  return `posthorn: ${[message + causeOf(err), ...fields].join(' ')}`
}

/** The code is what `docs/reference/errors.md` and PostgreSQL's own list explain. */
function causeOf(err: unknown): string {
  if (!(err instanceof Error)) return err === undefined ? '' : `: ${textOf(err)}`
  const { code } = err as { code?: unknown }
  return typeof code === 'string' ? `: ${code}: ${err.message}` : `: ${err.message}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
}

/** Says nothing. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Of the lines of one kind so many are written, each time for so long; the others are counted. */
const FIRST_LINES = 5
const LINES_MS = 10_000

/** Bounds the lines that many failures of one kind write: the first of them, then their number. */
export class LineLimit {
  readonly #lines = new Map<string, number>()

  /** Whether to write this line; `sum` writes one for those that were not written, if there are any. */
  allows(kind: string, sum: (more: number) => void): boolean {
    const lines = (this.#lines.get(kind) ?? 0) + 1
    this.#lines.set(kind, lines)
    if (lines === 1) setTimeout(() => this.#sumUp(kind, sum), LINES_MS).unref()
    return lines <= FIRST_LINES
  }

  #sumUp(kind: string, sum: (more: number) => void): void {
    const more = (this.#lines.get(kind) ?? 0) - FIRST_LINES
    this.#lines.delete(kind)
    if (more > 0) sum(more)
  }
}

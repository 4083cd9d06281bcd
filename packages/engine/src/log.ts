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

/** Says nothing: the default of a library. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

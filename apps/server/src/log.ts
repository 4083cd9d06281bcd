import { pino, type Logger } from 'pino'

/** Fields that never reach a log line, wherever a caller put them. */
const SECRET_FIELDS = ['authorization', 'cookie', 'password', 'secret', 'token', 'connectionString']

/** JSON lines on standard output, or on `destination`. */
export function createLog(level: string, destination?: NodeJS.WritableStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '(redacted)',
    },
    serializers: { err: describeError },
  }
  return destination ? pino(options, destination) : pino(options)
}

interface DescribedError {
  readonly type: string
  readonly message: string
  readonly code?: unknown
  readonly stack?: string
  readonly cause?: DescribedError
}

/** Causes shown of one error. */
const MAX_CAUSES = 5

/**
 * What a log says of an error. Only these fields: Postgres quotes whole rows in `detail`, and drivers
 * hang their configuration on what they throw.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: withoutSecrets(String(error)) }
  const { name, message, stack, cause } = error
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    type: name,
    message: withoutSecrets(message),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: withoutSecrets(stack) }),
    ...(cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(cause, depth + 1) }),
  }
}

/** Addresses keep their host and path, and lose their password and query: some have a key in it. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+]*:\/\/[^\s:/@]*):[^\s/]*@/gi, '$1:…@')
    .replaceAll(/(\/[^\s"'?]*)\?[^\s"'=]+=[^\s"']*/g, '$1?…')
}

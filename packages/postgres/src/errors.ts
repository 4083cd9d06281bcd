/** Every code this package throws, with the sentence that explains it. */
export const POSTGRES_ERROR_CODES = {
  POSTGRES_BINARIES_MISSING: 'PostgreSQL for this machine is not installed.',
  POSTGRES_BINARIES_BROKEN: 'The installed PostgreSQL does not run on this machine.',
  POSTGRES_BINARIES_UNREACHABLE: 'The account that runs the server cannot reach its program.',
  POSTGRES_NO_ACCOUNT: 'PostgreSQL refuses to run as root and no other account was found.',
  POSTGRES_FOLDER_UNREACHABLE: 'The folder of the server cannot be reached.',
  POSTGRES_FOLDER_VERSION: 'Another major version of PostgreSQL created the folder.',
  POSTGRES_PASSWORD_MISSING: 'The folder has a database but not its password.',
  POSTGRES_LOCK_TIMEOUT: 'Another process held the folder for too long.',
  POSTGRES_INIT_FAILED: 'The database could not be created.',
  POSTGRES_START_FAILED: 'The server did not start.',
  POSTGRES_CONNECT_FAILED: 'The server runs but accepts no connection.',
  POSTGRES_STOP_FAILED: 'The server did not stop.',
  POSTGRES_PORT_TAKEN: 'The port of the server was taken by another program.',
} as const

export type PostgresErrorCode = keyof typeof POSTGRES_ERROR_CODES

/** A failure around the server: branch on `code`, never on `message`. */
export class PostgresServerError extends Error {
  readonly code: PostgresErrorCode

  constructor(code: PostgresErrorCode, details?: string, options?: ErrorOptions) {
    const sentence = POSTGRES_ERROR_CODES[code]
    super(details === undefined ? sentence : `${sentence} ${details}`, options)
    this.name = 'PostgresServerError'
    this.code = code
  }
}

/** The code of a system error (`ENOENT`, `EACCES`, …), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

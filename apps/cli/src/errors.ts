/** What the process ends with; scripts may rely on these. */
export const EXIT = {
  ok: 0,
  /** It was tried and did not work. */
  failed: 1,
  /** The command line or the environment is wrong; nothing was tried. */
  usage: 2,
  /** What was asked is answered with no. */
  negative: 3,
  /** Ctrl-C, as shells count it. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command was called in a way that cannot work; the message says what would. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** It did not work, and the message is all there is to say: no stack, no cause. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** SQLSTATEs and system codes that deserve a sentence of ours. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: is the database running?',
  ENOTFOUND: 'there is no such host',
  ETIMEDOUT: 'the database does not answer',
  ECONNRESET: 'the database closed the connection',
  '28P01': 'the password or the user is wrong',
  '28000': 'the server does not let this user in',
  '3D000': 'there is no such database',
  '3F000': 'the tables are missing: run `posthorn migrate`',
  '42P01': 'the tables are missing or too old: run `posthorn migrate`',
  '42703': 'the tables are too old: run `posthorn migrate`',
  '42501': 'this user of the database may not do that',
  '53300': 'the server has no connection left',
  '57P01': 'the database is shutting down',
  '57P03': 'the database is starting up',
}

/** An error as a sentence for a person, without passwords. */
export function explain(error: unknown): string {
  const code = codeOf(error)
  const sentence = code === undefined ? undefined : SENTENCES[code]
  const message = withoutPassword(messageOf(error))
  return sentence === undefined ? message : `${message} (${sentence})`
}

/**
 * What the other side or the network said, without passwords. Clients of brokers wrap it, often twice,
 * and "cannot connect" is all that the outermost error says.
 */
export function explainInnermost(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const inner = first ?? (error instanceof Error ? error.cause : undefined)
  return inner === undefined ? withoutPassword(messageOf(error)).trim() : explainInnermost(inner)
}

/** The SQLSTATE or system code of an error, or of the first of several. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.cause === undefined ? undefined : codeOf(error.cause)
}

function messageOf(error: unknown): string {
  // Where a name has several addresses, Node tries them all and says nothing itself.
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  if (error instanceof Error) return error.message || error.name
  return String(error)
}

/**
 * Addresses keep their host and lose their password. Not the server's own function: this file must
 * be able to say why the server cannot be loaded.
 */
function withoutPassword(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+]*:\/\/[^\s:/@]*):[^\s/]*@/gi, '$1:…@')
}

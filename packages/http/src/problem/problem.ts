import { CodedError } from '@posthorn/engine'
import { HTTP_PROBLEMS } from '../errors.ts'

export interface ProblemDefinition {
  readonly status: number
  /** The same for every occurrence; `detail` speaks of this one. */
  readonly title: string
}

export interface FieldError {
  /** Dotted: `items.0.sku`. */
  readonly field: string
  readonly reason: string
}

/** What one occurrence adds to its definition. */
export interface ProblemInit {
  /** A sentence about this occurrence; default the title. It is shown to the caller. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  /** Becomes the header `Retry-After`. */
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  /** More members of the body, beside the ones of RFC 9457. */
  readonly extensions?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** An answer of RFC 9457: throw it anywhere in a request. */
export class ProblemError extends CodedError {
  readonly status: number
  readonly title: string
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(code: string, { status, title }: ProblemDefinition, init: ProblemInit = {}) {
    super(code, init.detail ?? title, { cause: init.cause })
    this.status = status
    this.title = title
    this.errors = init.errors
    this.extensions = init.extensions ?? {}
    this.headers = {
      ...init.headers,
      ...(init.retryAfterSeconds !== undefined && {
        'retry-after': String(Math.max(0, Math.ceil(init.retryAfterSeconds))),
      }),
    }
  }

  /** The body. The members of RFC 9457 win over extensions of the same name. */
  toJSON(): Record<string, unknown> {
    return {
      ...this.extensions,
      type: `urn:posthorn:problem:${this.code.toLowerCase().replaceAll('_', '-')}`,
      title: this.title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.errors && { errors: this.errors }),
    }
  }
}

export const PROBLEM_TYPE = 'application/problem+json'

type Catalogue = Readonly<Record<string, ProblemDefinition>>

/**
 * Makes `problem(code, …)` from a system's own catalogue; the codes of this package can be used
 * with it too, and not be defined anew.
 */
export function defineProblems<const Own extends Catalogue>(own: Own) {
  const known: Catalogue = { ...own, ...HTTP_PROBLEMS }
  for (const code of Object.keys(own)) {
    if (code in HTTP_PROBLEMS) throw new TypeError(`${code} is a problem of @posthorn/http`)
    if (!/^[A-Z][A-Z0-9_]*$/.test(code)) throw new TypeError(`"${code}" is not UPPER_SNAKE`)
  }
  return (code: (keyof Own | keyof typeof HTTP_PROBLEMS) & string, init?: ProblemInit) =>
    new ProblemError(code, known[code] ?? HTTP_PROBLEMS.INTERNAL, init)
}

/** `problem(code, …)` with the codes of this package only. */
export const problem = defineProblems({})

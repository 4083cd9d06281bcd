/** There was no answer at all: no network, or no server. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
    this.name = 'Unreachable'
  }
}

/** What is wrong with one field of a request. */
interface FieldProblem {
  readonly field: string
  readonly reason: string
}

interface ProblemResponse {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
}

/** An answer of the API that is no success; branch on `code`. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly errors: readonly FieldProblem[]
  /** Its other fields, such as the id of a conflicting resource. */
  readonly more: Readonly<Record<string, unknown>>
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined

  constructor({ status, headers }: ProblemResponse, body: unknown) {
    const more = isObject(body) ? body : {}
    const { code, title, detail, errors } = more
    const named = typeof title === 'string' ? title : `The server answered ${status}`
    super(typeof detail === 'string' ? detail : named)
    this.name = 'ApiProblem'
    this.status = status
    this.code = typeof code === 'string' ? code : `HTTP_${status}`
    this.title = named
    this.errors = Array.isArray(errors) ? errors.filter(isFieldProblem) : []
    this.more = more
    this.requestId = headers.get('x-request-id') ?? undefined
  }

  /** Whether to log in again is the answer. */
  get isExpired(): boolean {
    return this.status === 401
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isFieldProblem(value: unknown): value is FieldProblem {
  return (
    isObject(value) && typeof value['field'] === 'string' && typeof value['reason'] === 'string'
  )
}

import { delivered, refused, retryLater } from '@posthorn/engine'
import type { Moved } from '../outbox.ts'
import type { InvalidCode } from '../rows/row.ts'

/** What the document API said, or why it said nothing. */
export type Answer =
  | { readonly kind: 'attached'; readonly ids: readonly string[] }
  /** Perhaps later: it is busy, broken, or cannot be reached. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Never. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** Our credentials are wrong: it says nothing about the row. */
  | { readonly kind: 'unauthorised'; readonly status: number }

/** 4xx that say "not now" rather than "not this". */
const PASSING = new Set([408, 409, 425, 429])

/** Codes of rows that cannot be tried again: an API that uses them means something else. */
const OURS: ReadonlySet<string> = new Set<InvalidCode>(['INVALID_ROW', 'INVALID_FILE'])

/** What an answer means for `files` files that were sent. */
export function answerOf(status: number, body: unknown, files: number): Answer {
  if (status === 401 || status === 403) return { kind: 'unauthorised', status }
  if (status >= 200 && status < 300) {
    const ids = idsIn(body)
    if (ids?.length === files) return { kind: 'attached', ids }
    const message = `The document API answered ${status} without an id for each file.`
    return { kind: 'failed', message }
  }
  const said = messageIn(body)
  const message = `The document API answered ${status}${said === undefined ? '' : `: ${said}`}`
  if (status < 400 || status >= 500 || PASSING.has(status)) return { kind: 'failed', message }
  const code = codeIn(body)
  const isOurs = code !== undefined && OURS.has(code)
  return { kind: 'refused', code: isOurs ? `API_${code}` : (code ?? `API_${status}`), message }
}

/** The last attempt's number: the first has 0. */
const LAST_RETRY = 2

/** What becomes of the row. */
export function outcomeOf(
  answer: Exclude<Answer, { kind: 'unauthorised' }>,
  retryCount: number,
): Moved {
  return { ...unsignedOutcome(answer, retryCount), by: 'EVIDENCE_WORKER' }
}

function unsignedOutcome(answer: Exclude<Answer, { kind: 'unauthorised' }>, retryCount: number) {
  switch (answer.kind) {
    case 'attached':
      return delivered()
    case 'refused':
      return refused({ code: answer.code, message: answer.message })
    case 'failed': {
      const code = retryCount >= LAST_RETRY ? 'MAX_RETRIES_EXCEEDED' : 'API_ERROR'
      return retryLater({ code, message: answer.message })
    }
  }
}

function idsIn(body: unknown): string[] | undefined {
  const ids = field(body, 'document_mgmt_ids')
  if (!Array.isArray(ids)) return undefined
  const texts = ids.map((id) => (typeof id === 'number' ? String(id) : id) as unknown)
  const isId = (id: unknown): id is string =>
    typeof id === 'string' && id !== '' && id.length <= 255 && !id.includes('\0')
  return texts.every(isId) ? texts : undefined
}

function codeIn(body: unknown): string | undefined {
  const code = field(body, 'code') ?? field(field(body, 'error'), 'code')
  return typeof code === 'string' && /^[\x21-\x7e]{1,100}$/.test(code) ? code : undefined
}

function messageIn(body: unknown): string | undefined {
  const message = field(body, 'message') ?? field(field(body, 'error'), 'message')
  return typeof message === 'string' ? message.slice(0, 500) : undefined
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}

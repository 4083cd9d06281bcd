import { problem } from '@posthorn/http'
import { keepBody, type KeptBody } from './kept-body.ts'

/** A body as the handler gets it and as the journal keeps it. */
export interface RequestBody {
  readonly kept: KeptBody
  /** JSON as a value, multipart parsed, text as a string, everything else as bytes. */
  readonly value: unknown
  /** Set if the body is not what its content type says. */
  readonly malformed?: Error
}

/** Of everything but `multipart/form-data`, which is read as it streams in. */
export function readBody(bytes: Buffer, contentType: string | undefined): RequestBody {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const kept = keepBody(bytes)
  try {
    return { kept, value: valueOf(bytes, type) }
  } catch (cause) {
    return malformedBody({ kept, type, cause })
  }
}

export function malformedBody(body: { kept: KeptBody; type: string; cause: unknown }): RequestBody {
  const { kept, type, cause } = body
  const malformed = problem('BAD_REQUEST', { detail: `The body is not ${type}.`, cause })
  return { kept, value: undefined, malformed }
}

function valueOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined
  if (type === 'application/json' || type.endsWith('+json')) return JSON.parse(bytes.toString())
  if (type === 'application/x-www-form-urlencoded') {
    return Object.fromEntries(new URLSearchParams(bytes.toString()))
  }
  return type.startsWith('text/') ? bytes.toString() : bytes
}

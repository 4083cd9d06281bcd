import { createHash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import type { Multipart } from './multipart.ts'

/** What the journal keeps of a body: small, and never the request's own bytes. */
export interface KeptBody {
  readonly bytes: number
  /** As `GET …/requests` shows it. */
  show(): unknown
}

/** Over this only the start is kept. */
export const MOST_KEPT_BYTES = 64 * 1024
const START_BYTES = 16 * 1024

export const emptyBody: KeptBody = { bytes: 0, show: () => null }

/** JSON and text as they are, anything else as base64; a big one is cut, with its size and hash. */
export function keepBody(bytes: Buffer): KeptBody {
  if (bytes.length === 0) return emptyBody
  if (bytes.length > MOST_KEPT_BYTES) return cutBody(bytes)
  if (isUtf8(bytes)) {
    const text = bytes.toString()
    return { bytes: bytes.length, show: () => jsonOr(text) }
  }
  const binary = { base64: bytes.toString('base64'), size: bytes.length, sha256: sha256(bytes) }
  return { bytes: binary.base64.length, show: () => binary }
}

/** A body of which only the first bytes are there: as a whole if it was no longer than those. */
export function keepStart(body: { start: Buffer; size: number; sha256: string }): KeptBody {
  const { start, size } = body
  if (size === start.length) return keepBody(start)
  return { bytes: 0, show: () => ({ cut: true, size, sha256: body.sha256 }) }
}

/** The names, sizes and hashes of files, not their bytes. */
export function keepMultipart({ fields, files }: Multipart): KeptBody {
  const shown = {
    fields,
    files: files.map((file) => ({ name: file.name, size: file.size, sha256: file.sha256 })),
  }
  const text = JSON.stringify(shown)
  return text.length > MOST_KEPT_BYTES
    ? cutBody(Buffer.from(text))
    : { bytes: text.length, show: () => JSON.parse(text) as unknown }
}

/** What stands in a body's place when the journal has no room for it any more. */
export const forgottenBody: KeptBody = { bytes: 0, show: () => ({ forgotten: true }) }

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function cutBody(bytes: Buffer): KeptBody {
  const cut = { cut: true, size: bytes.length, sha256: sha256(bytes) }
  // Looked at as a whole: the end of the start may stand in the middle of a character.
  if (!isUtf8(bytes)) return { bytes: 0, show: () => cut }
  const start = bytes.subarray(0, START_BYTES).toString()
  return { bytes: START_BYTES, show: () => ({ ...cut, start }) }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'
import { PosthornError } from '../errors.ts'

/** AES with a key of 256 bits in Galois/Counter mode, as JSON Web Encryption calls it. */
const ALGORITHM = 'A256GCM'
const WORD = `posthorn.${ALGORITHM}.`
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Types of columns that can be encrypted, and what an envelope is in them. */
export const FORMS: Readonly<Record<string, Form>> = {
  json: 'json',
  jsonb: 'json',
  text: 'text',
  bytea: 'bytes',
}

export type Form = 'json' | 'text' | 'bytes'

/** What stands in a column instead of its value. */
export interface Envelope {
  readonly form: Form
  /** Id of the data key. */
  readonly key: string
  readonly nonce: Buffer
  /** Ciphertext, and the tag that shows a change. */
  readonly body: Buffer
}

export interface SealOptions {
  readonly form: Form
  readonly key: { readonly id: string; readonly secret: KeyObject }
  /** Where the value stands: it can be opened nowhere else. */
  readonly context: string
}

/** The value as it is stored. */
export function seal(value: unknown, { form, key, context }: SealOptions): unknown {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([
    cipher.update(toBytes(value, form)),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const [text, data] = [nonce.toString('base64url'), body.toString('base64url')]
  if (form === 'json') return { encrypted: ALGORITHM, key: key.id, nonce: text, data }
  const word = `${WORD}${key.id}.${text}.${data}`
  return form === 'text' ? word : Buffer.from(word)
}

/** The envelope in a column; undefined for a value that was never encrypted. Throws for half a one. */
export function envelopeIn(stored: unknown): Envelope | undefined {
  if (typeof stored === 'string' && stored.startsWith(WORD)) return wordOf(stored, 'text')
  if (stored instanceof Uint8Array) {
    const text = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
    const isWord = text.subarray(0, WORD.length).equals(Buffer.from(WORD))
    return isWord ? wordOf(text.toString('latin1'), 'bytes') : undefined
  }
  if (typeof stored !== 'object' || stored === null || !('encrypted' in stored)) return undefined
  if (stored.encrypted !== ALGORITHM) return undefined
  const { key, nonce, data } = stored as Record<string, unknown>
  return envelopeOf('json', [key, nonce, data])
}

function wordOf(word: string, form: Form): Envelope {
  return envelopeOf(form, word.slice(WORD.length).split('.'))
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

function envelopeOf(form: Form, [key, nonce, data]: readonly unknown[]): Envelope {
  const bytes = (text: unknown) => Buffer.from(typeof text === 'string' ? text : '', 'base64url')
  const envelope = { form, key: String(key), nonce: bytes(nonce), body: bytes(data) }
  const isWhole = envelope.nonce.length === NONCE_BYTES && envelope.body.length >= TAG_BYTES
  if (isWhole && UUID.test(envelope.key)) return envelope
  throw new PosthornError('PAYLOAD_TAMPERED', 'the envelope of a payload is truncated')
}

/** The value that was stored. Throws if a bit of it, or the place where it stands, has changed. */
export function open(
  { form, nonce, body }: Envelope,
  { secret, context }: { readonly secret: KeyObject; readonly context: string },
): unknown {
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(body.subarray(body.length - TAG_BYTES))
  let bytes: Buffer
  try {
    const text = decipher.update(body.subarray(0, body.length - TAG_BYTES))
    bytes = Buffer.concat([text, decipher.final()])
  } catch {
    // Without its cause: nothing of a payload may reach a log.
    throw new PosthornError('PAYLOAD_TAMPERED')
  }
  if (form === 'bytes') return bytes
  const text = bytes.toString('utf8')
  return form === 'json' ? (JSON.parse(text) as unknown) : text
}

function toBytes(value: unknown, form: Form): Uint8Array {
  if (form === 'json') return Buffer.from(JSON.stringify(value))
  if (form === 'text' && typeof value === 'string') return Buffer.from(value)
  if (form === 'bytes' && value instanceof Uint8Array) return value
  const wanted = form === 'text' ? 'a string' : 'bytes'
  throw new TypeError(`an encrypted column of this type takes ${wanted}, not a ${typeof value}`)
}

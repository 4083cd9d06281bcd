import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { decryptBytes, encryptBytes } from '@posthorn/engine/internal'

/** Encrypts what must not stand readable in a table. */
export interface Sealing {
  /** The text as one word; `context` (whose secret it is) must be the same to open it. */
  seal(text: string, context: string): string
  /** Throws if the word was changed, belongs to another context, or was sealed with no known key. */
  open(sealed: string, context: string): string
  /** Tells whether two texts are the same without saying what they are; never to be opened. */
  digest(text: string, context: string): string
}

/** Whether a text looks like one that was sealed; only opening it tells for sure. */
export function isSealed(text: string): boolean {
  return text.startsWith(`${FORM}.`)
}

/** `s1` is the form of the word: AES-256-GCM under a key derived by HKDF. */
const FORM = 's1'
/** Nonce and tag: what is shorter was not sealed. */
const LEAST_BYTES = 28

/**
 * Seals with the first key and opens with any of them, so that a new key can be put in front and
 * the old one taken away once nothing is sealed with it any more.
 */
export function createSealing(secrets: readonly string[]): Sealing {
  // As objects: Node takes ten times as long to begin with a key of bytes.
  const keys = secrets.map((secret) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'posthorn sealing', 32))),
  )
  const [newest] = keys
  if (!newest) throw new TypeError('sealing needs a key')
  return {
    seal(text, context) {
      const bytes = encryptBytes(newest, Buffer.from(text), context)
      return `${FORM}.${bytes.toString('base64url')}`
    },
    open(sealed, context) {
      const [form, word = ''] = sealed.split('.', 2)
      const bytes = Buffer.from(word, 'base64url')
      if (form !== FORM || bytes.length < LEAST_BYTES) {
        throw new Error('this is nothing that was sealed')
      }
      for (const key of keys) {
        const opened = tryOpen(key, bytes, context)
        if (opened !== undefined) return opened
      }
      throw new Error('what is sealed cannot be opened: another key, another context, or changed')
    },
    digest(text, context) {
      return createHmac('sha256', newest).update(`${context}\n${text}`).digest('base64url')
    },
  }
}

function tryOpen(key: KeyObject, bytes: Buffer, context: string): string | undefined {
  try {
    return decryptBytes(key, bytes, context).toString('utf8')
  } catch {
    return undefined
  }
}

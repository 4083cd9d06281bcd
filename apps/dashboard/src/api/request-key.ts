import { useRef } from 'react'

/**
 * An Idempotency-Key for what a form sends: the same while the same is sent again, so that a second
 * press or a lost answer makes nothing twice; another one for another body and after `done`.
 */
export function useRequestKey(): { keyFor(body: unknown): string; done(): void } {
  const kept = useRef<{ readonly body: string; readonly key: string }>(undefined)
  return {
    keyFor(body) {
      const text = JSON.stringify(body)
      if (kept.current?.body !== text) kept.current = { body: text, key: newKey() }
      return kept.current.key
    },
    done() {
      kept.current = undefined
    },
  }
}

/** `crypto.randomUUID` is missing on a page that came without TLS from another machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

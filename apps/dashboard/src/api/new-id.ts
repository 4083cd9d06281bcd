import { useRef } from 'react'

/** A UUID; `crypto.randomUUID` is only there where the page came by HTTPS or from this machine. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * An Idempotency-Key for what a form sends: the same while the same is sent again, so that a second
 * press or a lost answer makes nothing twice; another one for another body and after `done`.
 */
export function useRequestKey(): { keyFor(body: unknown): string; done(): void } {
  const kept = useRef<{ readonly body: string; readonly key: string }>(undefined)
  return {
    keyFor(body) {
      const text = JSON.stringify(body)
      if (kept.current?.body !== text) kept.current = { body: text, key: newId() }
      return kept.current.key
    },
    done() {
      kept.current = undefined
    },
  }
}

import { createHmac, timingSafeEqual } from 'node:crypto'

/** A header that is right, and when it was signed, or what is wrong with it. */
export type Verified =
  | { readonly ok: true; readonly timestamp: number }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'signature' }

/**
 * Checks `Stripe-Signature: t=…,v1=…` over the raw body. It may have several `v1`, while a secret is
 * rotated at Stripe, and there may be several secrets, while it is rotated here: one pair suffices.
 * Other schemes (`v0`) are passed over. The time is the caller's to judge.
 */
export function verifyStripe(
  header: string | undefined,
  body: Buffer,
  secrets: readonly string[],
): Verified {
  if (header === undefined || header === '') return { ok: false, reason: 'missing' }
  const parts = header.split(',').map((part) => part.trim().split(/=(.*)/s))
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const given = parts.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []))
  if (!/^\d{1,12}$/.test(timestamp) || given.length === 0) return { ok: false, reason: 'malformed' }
  const isRight = secrets.some((secret) => {
    const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body)
    const wanted = Buffer.from(hmac.digest('hex'))
    return given.some((each) => isSame(Buffer.from(each), wanted))
  })
  return isRight ? { ok: true, timestamp: Number(timestamp) } : { ok: false, reason: 'signature' }
}

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

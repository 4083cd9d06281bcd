import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether `X-Hub-Signature-256` is Meta's over exactly these bytes. */
export function isSigned(bytes: Buffer, header: unknown, secret: string): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(String(header))?.[1]
  if (hex === undefined) return false
  const expected = createHmac('sha256', secret).update(bytes).digest()
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected)
}

/** Compares words of any length without telling by the time where they differ. */
export function isSameWord(given: string, expected: string): boolean {
  const digest = (word: string) => createHmac('sha256', 'posthorn').update(word).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

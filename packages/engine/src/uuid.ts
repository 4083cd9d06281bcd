import { randomBytes } from 'node:crypto'

const POOL_SIZE = 16 * 256
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A source of UUIDv7: time-ordered, so that primary keys grow on the right side of the index. */
export function uuidSource(now: () => number = Date.now): () => string {
  // One call to the system for 256 ids: asking for 10 bytes at a time costs five times as much.
  let pool = randomBytes(POOL_SIZE)
  let used = 0
  return () => {
    if (used + 10 > POOL_SIZE) {
      pool = randomBytes(POOL_SIZE)
      used = 0
    }
    const time = now().toString(16).padStart(12, '0')
    const r = pool.subarray(used, used + 10)
    used += 10
    const hex = (i: number): string => HEX[r[i] ?? 0] as string
    const version = `7${hex(0)[0]}${hex(1)}`
    const variant = `${HEX[((r[2] ?? 0) & 0x3f) | 0x80]}${hex(3)}`
    const tail = hex(4) + hex(5) + hex(6) + hex(7) + hex(8) + hex(9)
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${tail}`
  }
}

/** A fresh UUIDv7. */
export const uuid = uuidSource()

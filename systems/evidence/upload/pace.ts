import { problem } from '../problems.ts'

export interface PaceLimits {
  /** The slowest that an upload may be, over each window. */
  readonly minBytesPerSecond: number
  readonly windowMs: number
}

/**
 * Passes bytes on as long as they come fast enough: a client that sends less in a window than the limit asks
 * for loses the upload. A slow honest client has all the time it needs; one that only holds the
 * connection has not.
 */
export async function* keepPace(
  bytes: AsyncIterable<Uint8Array>,
  { minBytesPerSecond, windowMs }: PaceLimits,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const wanted = (minBytesPerSecond * windowMs) / 1_000
  let isSlow: () => void = () => undefined
  let received = 0
  const tooSlow = new Promise<'slow'>((resolve) => (isSlow = () => resolve('slow')))
  const timer = setInterval(() => {
    if (received < wanted) isSlow()
    received = 0
  }, windowMs)
  try {
    for (;;) {
      const next = await Promise.race([source.next(), tooSlow])
      if (next === 'slow') throw slowProblem(minBytesPerSecond)
      if (next.done === true) return
      received += next.value.byteLength
      yield next.value
    }
  } finally {
    clearInterval(timer)
    void source.return?.()?.catch(() => undefined)
  }
}

function slowProblem(minBytesPerSecond: number) {
  const detail = `An upload has to bring ${minBytesPerSecond} bytes a second.`
  return problem('UPLOAD_TOO_SLOW', { detail })
}

/** Counts the uploads under way, of all merchants and of each. */
export interface UploadSlots {
  /** Runs the upload if there is room for it; else throws what to answer. */
  run<Result>(org: string, upload: () => Promise<Result>): Promise<Result>
}

export function createUploadSlots(limits: {
  readonly inAll: number
  readonly perOrg: number
}): UploadSlots {
  const running = new Map<string, number>()
  let all = 0
  return {
    async run(org, upload) {
      const mine = running.get(org) ?? 0
      if (mine >= limits.perOrg) {
        const detail = `${mine} uploads of the merchant are under way; ${limits.perOrg} may be.`
        throw problem('MERCHANT_LIMIT', { detail, retryAfterSeconds: 5 })
      }
      if (all >= limits.inAll) {
        const detail = `${all} uploads are under way, which is all that this server takes.`
        throw problem('UPLOADS_BUSY', { detail, retryAfterSeconds: 5 })
      }
      running.set(org, mine + 1)
      all += 1
      try {
        return await upload()
      } finally {
        all -= 1
        const left = (running.get(org) ?? 1) - 1
        if (left > 0) running.set(org, left)
        else running.delete(org)
      }
    },
  }
}

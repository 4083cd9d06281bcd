import { readdirSync, readFileSync } from 'node:fs'

/** The most that a process had in hand while it was watched. */
export interface Peak {
  readonly residentBytes: number
  readonly openFiles: number
}

const EVERY_MS = 1_000

/** Looks at a process each second from outside: it may have no time to answer. */
export function watchPeak(pid: number): { stop(): Peak } {
  let peak: Peak = { residentBytes: 0, openFiles: 0 }
  const look = () => {
    const now = usageOf(pid)
    peak = {
      residentBytes: Math.max(peak.residentBytes, now.residentBytes),
      openFiles: Math.max(peak.openFiles, now.openFiles),
    }
  }
  look()
  const looking = setInterval(look, EVERY_MS)
  return {
    stop() {
      clearInterval(looking)
      look()
      return peak
    },
  }
}

/** Nothing of one that has ended; that is counted elsewhere. */
function usageOf(pid: number): Peak {
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      residentBytes: Number(kilobytes ?? 0) * 1024,
      openFiles: readdirSync(`/proc/${pid}/fd`).length,
    }
  } catch {
    return { residentBytes: 0, openFiles: 0 }
  }
}

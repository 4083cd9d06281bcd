import { readFileSync } from 'node:fs'

/**
 * The most memory that this process ever had, in MB. Linux' `maxRSS` begins with the peak of the
 * process that started this one, and so says nothing about a small child of a large parent.
 */
export function peakMemoryMb(): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readStatus())?.[1]
  return (kilobytes === undefined ? process.resourceUsage().maxRSS : Number(kilobytes)) / 1_024
}

/** Empty where there is no /proc: there `maxRSS` is the process's own. */
function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}

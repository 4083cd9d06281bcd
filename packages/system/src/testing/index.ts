import type { Pool } from 'pg'
import { readFileSync } from 'node:fs'

/** Called at every point where a process may die, with the point's name. */
export type Reach = (point: string) => Promise<void>

/** In a process that is to be killed: at the point `CRASH_AT` it writes so and goes no further. */
export async function haltAtCrashPoint(point: string): Promise<void> {
  if (point !== process.env['CRASH_AT']) return
  process.stdout.write(`${point}\n`)
  // An interval keeps the process alive; the promise never ends.
  setInterval(() => undefined, 60_000)
  await new Promise(() => undefined)
}

/** Makes the nth COMMIT of a pool a point before it is sent, and another when it is through. */
export function reachCommits(pool: Pool, reach: Reach, commits = { count: 0 }): Pool {
  return pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const commit = async (...args: unknown[]) => {
      commits.count += 1
      const n = commits.count
      await reach(`commit ${n}`)
      const result = await query(...args)
      await reach(`committed ${n}`)
      return result
    }
    Object.assign(client, {
      query: (...args: unknown[]) => (args[0] === 'commit' ? commit(...args) : query(...args)),
    })
  })
}

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

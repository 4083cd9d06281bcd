import { readdir, readFile } from 'node:fs/promises'
import type { Pool } from 'pg'

/** Ticks of a second in /proc, on every Linux that Node runs on. */
const HERTZ = 100

interface Process {
  readonly pid: number
  readonly parent: number
  /** User and system time, in microseconds. */
  readonly ownUs: number
  /** The same of children that have ended. */
  readonly endedUs: number
}

/**
 * The processor time that a local PostgreSQL has used so far, all of its processes together, in
 * microseconds; undefined where /proc does not say.
 */
export async function postgresCpuUs(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const processes = await listProcesses()
  const parent = processes.find(({ pid }) => pid === rows[0]?.pid)?.parent
  const postmaster = processes.find(({ pid }) => pid === parent)
  if (!postmaster) return undefined
  const children = processes.filter((each) => each.parent === parent)
  return children.reduce((sum, { ownUs }) => sum + ownUs, postmaster.ownUs + postmaster.endedUs)
}

/** The processor time of processes whose command line contains the text, in microseconds. */
export async function commandCpuUs(text: string): Promise<number> {
  let sum = 0
  for (const { pid, ownUs } of await listProcesses()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(text)) sum += ownUs
  }
  return sum
}

async function listProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map(readProcess))
  return found.filter((each) => each !== undefined)
}

async function readProcess(pid: string): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field is a name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return undefined
  const us = (at: number) => (Number(fields[at]) * 1_000_000) / HERTZ
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    ownUs: us(11) + us(12),
    endedUs: us(13) + us(14),
  }
}

/** The most memory that processes whose command line contains the text have had, together. */
export async function commandPeakMb(text: string): Promise<number> {
  let sum = 0
  for (const { pid } of await listProcesses()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!command.includes(text)) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    sum += Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024
  }
  return Math.round(sum)
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemCode } from './errors.ts'
import { isProcessAlive, postgresProcessesIn } from './process-mark.ts'

/** The leading process of a server, as it describes itself in its data folder. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly status: string
}

/** The living postmaster of a data folder; what a dead one left there is not believed. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const written = await readPostmaster(data)
  if (written === undefined || !isProcessAlive(written.pid)) return undefined
  const processes = postgresProcessesIn(data)
  return processes === undefined || processes.includes(written.pid) ? written : undefined
}

/** What postmaster.pid says. Its lines: pid, folder, start, port, socket, address, memory, status. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? 'starting' }
}

/** Sends a signal; a process that is gone already is what the caller wanted or will find out. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error
  }
}

/** Waits until no process of the server is left; false if some are after the time. */
export async function waitForEnd(data: string, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs
  while (await isInUse(data)) {
    if (Date.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** Longer than the kernel takes to end a process, also on a busy machine. */
const KILL_LIMIT_MS = 10_000

/** Kills every PostgreSQL process that works in a folder, also those started meanwhile. */
export async function endProcessesIn(data: string): Promise<void> {
  const deadline = Date.now() + KILL_LIMIT_MS
  for (;;) {
    const living = (postgresProcessesIn(data) ?? []).filter(isProcessAlive)
    if (living.length === 0 || Date.now() > deadline) return
    for (const pid of living) signal(pid, 'SIGKILL')
    await sleep(20)
  }
}

async function isInUse(data: string): Promise<boolean> {
  const processes = postgresProcessesIn(data)
  if (processes !== undefined) return processes.some(isProcessAlive)
  return (await findPostmaster(data)) !== undefined
}

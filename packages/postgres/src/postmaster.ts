import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { systemCode } from './errors.ts'

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

/**
 * Names a process so that another one which got the same pid later is not taken for it: the pid
 * and, where /proc tells, the time it started.
 */
export function processMark(pid: number): string {
  return `${pid} ${startTime(pid) ?? '?'}`
}

/** Whether the process that was marked is still there. */
export function isMarkAlive(mark: string): boolean {
  const [pid, start] = mark.trim().split(' ')
  if (pid === undefined || !/^[1-9]\d*$/.test(pid) || !isProcessAlive(Number(pid))) return false
  const now = startTime(Number(pid))
  return start === '?' || now === undefined || now === start
}

/** Whether a process of that pid runs; a zombie, which only waits to be counted, does not. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    if (systemCode(error) !== 'EPERM') return false
  }
  return stat(pid)?.[0] !== 'Z'
}

/**
 * The PostgreSQL processes which work in a data folder: the postmaster and its children, also
 * those that outlived it; of a folder that is being made, initdb and its children. Undefined where
 * the system has no /proc to tell.
 */
export function postgresProcessesIn(data: string): number[] | undefined {
  const folder = quietly(() => statSync(data))
  if (folder === undefined) return []
  const pids = quietly(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
  if (pids === undefined || pids.length === 0) return undefined
  // The name is asked too: a shell left in the folder is not a server.
  return pids.map(Number).filter((pid) => {
    const name = quietly(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
    if (name !== 'postgres' && name !== 'initdb') return false
    const cwd = quietly(() => statSync(`/proc/${pid}/cwd`))
    return cwd?.ino === folder.ino && cwd.dev === folder.dev
  })
}

function startTime(pid: number): string | undefined {
  return stat(pid)?.[19]
}

/** The fields of /proc/pid/stat from the third (the state) on: the second may hold spaces. */
function stat(pid: number): string[] | undefined {
  const text = quietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Writes this process down as a user of the server; the result takes it off again. */
export async function registerUser(users: string): Promise<() => Promise<void>> {
  const file = join(users, `${process.pid}-${randomUUID()}`)
  await writeFile(file, processMark(process.pid))
  return () => rm(file, { force: true })
}

/** How many users live; those whose process is gone are swept away. To be called under the lock. */
export async function countUsers(users: string): Promise<number> {
  let living = 0
  for (const name of await readdir(users)) {
    const file = join(users, name)
    if (isMarkAlive(await readFile(file, 'utf8').catch(() => ''))) living += 1
    else await rm(file, { force: true })
  }
  return living
}

import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PostgresServerError, systemCode } from './errors.ts'
import { isMarkAlive, processMark } from './postmaster.ts'

/** Longer than the longest start, so that waiting for a recovering server is not a failure. */
const WAIT_MS = 6 * 60_000
const POLL_MS = 25

/**
 * Runs the work while no other process runs work under the same lock folder.
 *
 * The lock is a row of numbered tickets. The highest ticket is the lock: it is held while it
 * names a living process, free when it is empty or its process is gone. To take the lock is to
 * make the next number, which the file system grants once. No process ever removes the highest
 * ticket, so a lock left by a crash needs no breaking, and no slow process can break a fresh one.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const ticket = await acquire(folder)
  try {
    return await work()
  } finally {
    await truncate(ticket).catch(ignoreMissing)
  }
}

async function acquire(folder: string): Promise<string> {
  const deadline = Date.now() + WAIT_MS
  while (Date.now() < deadline) {
    const highest = await highestTicket(folder)
    if (highest === 0 || (await isFree(join(folder, String(highest))))) {
      const ticket = await take(folder, highest + 1)
      if (ticket !== undefined) return ticket
    }
    await sleep(POLL_MS)
  }
  throw new PostgresServerError('POSTGRES_LOCK_TIMEOUT', `It waits at ${folder}.`)
}

async function take(folder: string, number: number): Promise<string | undefined> {
  const ticket = join(folder, String(number))
  const draft = join(folder, `draft-${randomUUID()}`)
  // Written first and linked then: a ticket must never be seen without the name of its holder.
  await writeFile(draft, processMark(process.pid))
  try {
    await link(draft, ticket)
  } catch (error) {
    // ENOENT: a holder swept our draft away. EEXIST: another process was faster.
    if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(draft, { force: true })
  }
  // A process that was asleep may make a number long passed; its ticket is worth nothing.
  if ((await highestTicket(folder)) !== number) {
    await rm(ticket, { force: true })
    return undefined
  }
  for (const name of await readdir(folder)) {
    if (name !== String(number)) await rm(join(folder, name), { force: true })
  }
  return ticket
}

async function highestTicket(folder: string): Promise<number> {
  const names = await readdir(folder)
  return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number))
}

async function isFree(ticket: string): Promise<boolean> {
  try {
    const mark = await readFile(ticket, 'utf8')
    return mark === '' || !isMarkAlive(mark)
  } catch (error) {
    ignoreMissing(error)
    return false
  }
}

function ignoreMissing(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error
}

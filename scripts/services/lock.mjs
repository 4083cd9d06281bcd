import { setTimeout as sleep } from 'node:timers/promises'
import { takeLock } from '../setup-lock.mjs'

// Longer than the longest thing done under a lock, which is fetching over a slow line.
const PATIENCE_MS = 20 * 60_000

/** Runs `work` while no other process (and no other call in this one) holds `file`. */
export async function withLock(file, work) {
  const lock = await waitForLock(file)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function waitForLock(file) {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    const lock = takeLock(file)
    if (lock !== undefined) return lock
  }
  throw new Error(`Another process has held ${file} for too long: end it, or remove the file.`)
}

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Takes the lock, or returns undefined while a living process has it. The file names its holders
 * by pid and, where /proc tells, by start time, so a lock that a killed process left behind
 * blocks no other. A child that outlives us when we are killed can be made a second holder.
 */
function takeLock(file) {
  mkdirSync(dirname(file), { recursive: true })
  const holder = read(file)
  if (holder?.split('\n').some(isAlive)) return undefined
  if (holder !== undefined) discard(file, holder)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, mark(process.pid))
  try {
    // A link is made once, and the file is never seen without its content.
    linkSync(draft, file)
    return {
      share: (pid) => writeFileSync(file, `${mark(process.pid)}\n${mark(pid)}`),
      release: () => rmSync(file, { force: true }),
    }
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return undefined
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves the dead lock aside; if another process replaced it meanwhile, puts that one back. */
function discard(file, holder) {
  const aside = `${file}.${process.pid}.dead`
  try {
    renameSync(file, aside)
    if (read(aside) !== holder) linkSync(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function isAlive(holder) {
  const pid = Number(holder.split(' ')[0])
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  return mark(pid) === holder
}

/** The pid and the start time; a zombie, which only waits to be counted, holds nothing. */
function mark(pid) {
  const stat = read(`/proc/${pid}/stat`) ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? 'nobody' : `${pid} ${fields[19] ?? '?'}`
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

// Longer than the longest thing done under a lock, which is fetching over a slow line.
const PATIENCE_MS = 20 * 60_000

/**
 * Runs `work` while no other process (and no other call in this one) holds `file`. Where it has to wait, it
 * says for what, if that is given.
 */
export async function withLock(file, work, others) {
  let lock = takeLock(file)
  if (!lock && others) console.error(`Another process is ${others}; waiting for it ...`)
  for (const deadline = Date.now() + PATIENCE_MS; lock === undefined; lock = takeLock(file)) {
    if (Date.now() > deadline) {
      throw new Error(`Another process has held ${file} for too long: end it, or remove the file.`)
    }
    await sleep(200)
  }
  try {
    return await work(lock)
  } finally {
    lock.release()
  }
}

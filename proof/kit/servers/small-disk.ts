import { execFile } from 'node:child_process'
import { mkdir, open, readdir, readFile, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What can be made full for Postgres. */
export interface SmallDisk {
  /** A file system of its own in memory; undefined where only the size of files is limited. */
  readonly path: string | undefined
  /** Takes all the room that is left, until `empty`. */
  fill(): Promise<void>
  empty(): Promise<void>
}

const BALLAST = 'ballast'
const CHUNK = Buffer.alloc(1024 * 1024)

function pathIn(postgresFolder: string): string {
  return join(postgresFolder, 'disk')
}

/** Mounts it where Postgres's account may use it; undefined where mounting is not allowed. */
export async function mountDisk(
  postgresFolder: string,
  megabytes: number,
): Promise<SmallDisk | undefined> {
  const path = pathIn(postgresFolder)
  const { uid, gid } = await stat(join(postgresFolder, 'data'))
  await mkdir(path)
  const options = `size=${megabytes}m,uid=${uid},gid=${gid},mode=0700`
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path])
  } catch {
    await rm(path, { recursive: true })
    return undefined
  }
  const ballast = join(path, BALLAST)
  return {
    path,
    async fill() {
      const file = await open(ballast, 'w')
      try {
        // Writing and not reserving: what is freed meanwhile is taken, too.
        for (;;) await file.write(CHUNK)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        const { bsize, bfree } = await statfs(path)
        if (bfree * bsize > CHUNK.length) throw new Error('the disk is not full', { cause: error })
      } finally {
        await file.close()
      }
    },
    empty: () => rm(ballast, { force: true }),
  }
}

/** Of a file of the log: it must be written to its end, or Postgres stops. */
const LOG_FILE_BYTES = 16 * 1024 * 1024

/**
 * The same where nothing may be mounted: while it is full, no process of Postgres writes a file beyond
 * the size of those of its log, so that larger tables and indexes do not grow. Undefined where limits
 * cannot be set either.
 */
export async function limitFiles(postgresFolder: string): Promise<SmallDisk | undefined> {
  const limit = async (bytes: number | 'unlimited') => {
    const [postmaster, ...others] = await processesOf(postgresFolder)
    if (postmaster === undefined) return
    // By its account, whose processes they are; not even root may do so everywhere.
    const { uid, gid } = await stat(join(postgresFolder, 'data'))
    const set = (pid: string) => run('prlimit', ['--pid', pid, `--fsize=${bytes}:`], { uid, gid })
    // The first one before it is known which others there are: new ones have its limit.
    await set(postmaster)
    const now = new Set([...others, ...(await processesOf(postgresFolder))])
    await Promise.allSettled([...now].map(set))
  }
  try {
    await limit('unlimited')
  } catch {
    return undefined
  }
  return { path: undefined, fill: () => limit(LOG_FILE_BYTES), empty: () => limit('unlimited') }
}

/** The postmaster's id, then those of its children; none while it does not run. */
async function processesOf(postgresFolder: string): Promise<string[]> {
  const file = join(postgresFolder, 'data', 'postmaster.pid')
  const postmaster = (await readFile(file, 'utf8').catch(() => '')).split('\n')[0] ?? ''
  if (postmaster === '') return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      return /^PPid:\s*(\d+)$/m.exec(status)?.[1]
    }),
  )
  return [postmaster, ...pids.filter((_, i) => parents[i] === postmaster)]
}

/** Nothing where there is none. */
export async function unmountDisk(postgresFolder: string): Promise<void> {
  await run('umount', ['-l', pathIn(postgresFolder)]).catch(() => undefined)
}

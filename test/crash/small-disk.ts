import { execFile } from 'node:child_process'
import { open, mkdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of its own in memory, so small that it can be filled. */
export interface SmallDisk {
  readonly path: string
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

/** Nothing where there is none. */
export async function unmountDisk(postgresFolder: string): Promise<void> {
  await run('umount', ['-l', pathIn(postgresFolder)]).catch(() => undefined)
}

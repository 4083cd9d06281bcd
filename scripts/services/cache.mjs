import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withLock } from '../setup-lock.mjs'

/** Where fetched servers are kept: outside the repository, so that every clone shares them. */
export function cacheDir() {
  const { POSTHORN_CACHE_DIR, XDG_CACHE_HOME } = process.env
  return POSTHORN_CACHE_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'posthorn')
}

/** The same for what another account runs: that of root is closed to all others. */
export function sharedCacheDir() {
  const isRoot = process.getuid?.() === 0 && !process.env.POSTHORN_CACHE_DIR
  return isRoot ? '/var/cache/posthorn' : cacheDir()
}

/**
 * The cached folder `name`, filled by `fill(folder)` if it is not there yet. It appears by a
 * rename once it is complete, so a killed run leaves no half folder under its name.
 */
export async function fillCache(name, fill, root = cacheDir()) {
  const folder = join(root, name)
  if (existsSync(folder)) return folder
  await mkdir(root, { recursive: true })
  return withLock(`${folder}.lock`, async () => {
    // The former holder of the lock may have filled it.
    if (existsSync(folder)) return folder
    await removeDrafts(root, name)
    const draft = await mkdtemp(`${folder}.draft-`)
    try {
      await fill(draft)
      await chmod(draft, 0o755)
      await rename(draft, folder)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
    return folder
  })
}

/** Only under the lock: then every draft there is was left by a run that was killed. */
async function removeDrafts(root, name) {
  for (const entry of await readdir(root)) {
    if (!entry.startsWith(`${name}.draft-`)) continue
    await rm(join(root, entry), { recursive: true, force: true })
  }
}

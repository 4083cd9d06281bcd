import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { run } from './command.mjs'
import { debianRelease, unpackPackages } from './debian.mjs'

/** A psql to run: the installed one, or the one of Debian's package, unpacked and not installed. */
export async function ensurePsql({ log = console.error } = {}) {
  const installed = await run('psql', ['--version']).catch(() => undefined)
  if (installed !== undefined) return { path: 'psql', env: {} }
  const home = await fillCache(`psql-${await debianRelease()}-${process.arch}`, async (folder) => {
    log('psql: fetching, a few seconds the first time')
    await unpackPackages(['postgresql-client'], { folder, own: ['postgresql-client', 'libpq5'] })
  })
  const [version] = await readdir(join(home, 'usr/lib/postgresql'))
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  return {
    path: join(home, 'usr/lib/postgresql', version, 'bin/psql'),
    env: { LD_LIBRARY_PATH: join(home, 'usr/lib', triplet) },
  }
}

import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fillCache, sharedCacheDir } from '../cache.mjs'
import { run } from '../command.mjs'
import { debianRelease, unpackPackages } from '../debian.mjs'

/** With Python and PostgreSQL: half of either from here and half from the system would not fit. */
const PACKAGES = ['patroni', 'etcd-server', 'postgresql', 'python3-psycopg2']
const OWN = ['patroni', 'etcd', 'postgresql', 'python3', 'libpython3', 'libpq']

/**
 * Patroni, etcd and PostgreSQL from Debian's packages, unpacked and not installed, at a place where
 * another account than root can run them; fetched if they are not there.
 */
export async function ensurePatroni({ log = console.error } = {}) {
  const name = `patroni-${await debianRelease()}-${process.arch}`
  const fill = async (folder) => {
    log('patroni: fetching it with etcd and PostgreSQL, about half a minute the first time')
    await unpackPackages(PACKAGES, { folder, own: OWN })
    for (const each of ['doc', 'man', 'locale']) {
      await rm(join(folder, 'usr/share', each), { recursive: true, force: true })
    }
  }
  const home = await fillCache(name, fill, sharedCacheDir())
  const servers = join(home, 'usr/lib/postgresql')
  const [major = ''] = await readdir(servers)
  const binaries = join(servers, major, 'bin')
  const env = environment(home)
  const python = join(home, 'usr/bin/python3')
  const etcd = join(home, 'usr/bin/etcd')
  const versions = [
    `PostgreSQL ${await versionOf(join(binaries, 'postgres'), ['--version'], env)}`,
    `Patroni ${await versionOf(python, ['-m', 'patroni', '--version'], env)}`,
    `etcd ${await versionOf(etcd, ['--version'], env)}`,
  ]
  return { python, etcd, binaries, env, account: await account(), versions: versions.join(', ') }
}

/** Libraries that the system had not got were fetched as well. */
function environment(home) {
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  const libraries = [join(home, 'usr/lib', triplet), join(home, 'lib', triplet)]
  return {
    LD_LIBRARY_PATH: libraries.join(':'),
    PYTHONHOME: join(home, 'usr'),
    PYTHONPATH: join(home, 'usr/lib/python3/dist-packages'),
    PYTHONDONTWRITEBYTECODE: '1',
    LC_ALL: 'C.UTF-8',
  }
}

async function versionOf(program, args, env) {
  return /\d+(\.\d+)+/.exec(await run(program, args, { env }))?.[0] ?? 'unknown'
}

/** Who runs them, as the options of a child process: PostgreSQL refuses to be run by root. */
async function account() {
  if (process.getuid?.() !== 0) return {}
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = entries.find(([name]) => name === 'nobody') ?? []
  if (uid === undefined) throw new Error('There is no account "nobody" to run PostgreSQL.')
  return { uid: Number(uid), gid: Number(gid) }
}

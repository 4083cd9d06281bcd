import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedPackages, librariesIn, versionOf } from '../archives.mjs'
import { sharedCacheDir } from '../cache.mjs'

/** With Python and PostgreSQL: half of either from here and half from the system would not fit. */
const PACKAGES = ['patroni', 'etcd-server', 'postgresql', 'python3-psycopg2']
const OWN = ['patroni', 'etcd', 'postgresql', 'python3', 'libpython3', 'libpq']

/**
 * Patroni, etcd and PostgreSQL from Debian's packages, unpacked and not installed, at a place where
 * another account than root can run them; fetched if they are not there.
 */
export async function ensurePatroni({ log = console.error } = {}) {
  const finish = async (folder) => {
    for (const each of ['doc', 'man', 'locale']) {
      await rm(join(folder, 'usr/share', each), { recursive: true, force: true })
    }
  }
  const wanted = { packages: PACKAGES, own: OWN, log, finish, root: sharedCacheDir() }
  const home = await fetchedPackages('patroni', wanted)
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

function environment(home) {
  return {
    ...librariesIn(home),
    PYTHONHOME: join(home, 'usr'),
    PYTHONPATH: join(home, 'usr/lib/python3/dist-packages'),
    PYTHONDONTWRITEBYTECODE: '1',
    LC_ALL: 'C.UTF-8',
  }
}

/** Who runs them, as the options of a child process: PostgreSQL refuses to be run by root. */
async function account() {
  if (process.getuid?.() !== 0) return {}
  const entries = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = entries.find(([name]) => name === 'nobody') ?? []
  if (uid === undefined) throw new Error('There is no account "nobody" to run PostgreSQL.')
  return { uid: Number(uid), gid: Number(gid) }
}

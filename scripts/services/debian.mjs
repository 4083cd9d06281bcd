import { readFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { run, runWithRetries } from './command.mjs'

/**
 * Unpacks Debian packages and everything they need that the system has not got into `folder`.
 * Nothing is installed: no root needed, no service started by a package script, apt's own lists
 * and locks untouched. What begins with one of `own` is fetched even if the system has it, since
 * half a program here and half there would not fit together after an upgrade.
 */
export async function unpackPackages(names, { folder, own }) {
  const apt = join(folder, '.apt')
  await mkdir(join(apt, 'lists', 'partial'), { recursive: true })
  await mkdir(join(apt, 'archives', 'partial'), { recursive: true })
  await writeFile(join(apt, 'status'), await installedWithout(own))

  const options = [
    `Dir::State=${apt}`,
    `Dir::State::Lists=${apt}/lists`,
    `Dir::State::Status=${apt}/status`,
    `Dir::Cache=${apt}`,
    `Dir::Cache::Archives=${apt}/archives`,
    `APT::Sandbox::User=${userInfo().username}`,
    'Debug::NoLocking=true',
    'Acquire::Languages=none',
    'Acquire::Retries=3',
  ].flatMap((option) => ['-o', option])
  const download = ['install', '--download-only', '--no-install-recommends', '--yes', ...names]
  await runWithRetries('apt-get', [...options, 'update'])
  await runWithRetries('apt-get', [...options, ...download])

  for (const file of await readdir(join(apt, 'archives'))) {
    if (!file.endsWith('.deb')) continue
    await run('dpkg-deb', ['--extract', join(apt, 'archives', file), folder])
  }
  await rm(apt, { recursive: true })
}

/**
 * What the system has, for apt to build on: without our own packages, and without what the others
 * depend on, or apt would refuse where one of those needs one of ours.
 */
async function installedWithout(prefixes) {
  const status = await readFile('/var/lib/dpkg/status', 'utf8').catch(() => '')
  return status
    .split('\n\n')
    .filter((entry) => !prefixes.some((prefix) => entry.startsWith(`Package: ${prefix}`)))
    .map((entry) => entry.replaceAll(/^(Pre-)?Depends:.*\n/gm, ''))
    .join('\n\n')
}

/** Which Debian (or child of it) this is, such as `bookworm`: its packages fit no other. */
export async function debianRelease() {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const release = /^VERSION_CODENAME=(.+)$/m.exec(text)?.[1]
  if (release === undefined) throw new Error('This is not a Debian system.')
  return release
}

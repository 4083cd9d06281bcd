// Where programs of others come from: Debian's packages, Maven's jars, what Go builds and pip fetches.
// Each is had once, and kept in the cache.

import { readFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fillCache } from './cache.mjs'
import { run, runWithRetries } from './process.mjs'

const PLATFORM = `${process.platform}-${process.arch}`

/** The folder of a program that Go has built from source, without a C compiler and for any libc. */
export function builtByGo(name, { version, module, log }) {
  return fillCache(`${name}-${version}-${PLATFORM}`, async (folder) => {
    log(`building ${name} ${version}, some minutes the first time`)
    await runWithRetries('go', ['install', `${module}@v${version}`], {
      env: { GOBIN: folder, CGO_ENABLED: '0' },
    })
  })
}

/** The folder with a package of Python and what it needs, for `PYTHONPATH`. */
export function fetchedByPip(name, { version, log }) {
  return fillCache(`${name}-${version}`, async (folder) => {
    log(`fetching ${name} ${version}`)
    const install = ['-m', 'pip', 'install', '--quiet', '--target', folder]
    await runWithRetries('python3', [...install, `${name}==${version}`])
  })
}

/** The folder with jars, named as `group:artifact:version`, and all that they need in `lib`. */
export function fetchedJars(name, jars, { log, files = {} }) {
  return fillCache(name, async (folder) => {
    log(`fetching ${name}, about half a minute the first time`)
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
    await writeFile(join(folder, 'pom.xml'), pomOf(jars))
    await runWithRetries('mvn', COPY_JARS, { cwd: folder })
  })
}

/**
 * The folder with packages of this Debian, unpacked as `unpackPackages` says; `finish(folder)` is done
 * to it once, and `root` is the cache where it is not the usual one.
 */
export async function fetchedPackages(name, { packages, own, log, finish, root }) {
  const fill = async (folder) => {
    log(`${name}: fetching, half a minute or less the first time`)
    await unpackPackages(packages, { folder, own })
    await finish?.(folder)
  }
  return fillCache(`${name}-${await debianRelease()}-${process.arch}`, fill, root)
}

/** For programs from there: libraries that the system had not got were fetched as well. */
export function librariesIn(home) {
  const own = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((triplet) => [
    join(home, 'usr/lib', triplet),
    join(home, 'lib', triplet),
  ])
  const paths = [...own, process.env.LD_LIBRARY_PATH ?? ''].filter(Boolean)
  return { LD_LIBRARY_PATH: paths.join(':') }
}

/** What a program says of itself. */
export async function versionOf(program, args = ['--version'], env = {}) {
  return /\d+(\.\d+)+/.exec(await run(program, args, { env }))?.[0] ?? 'unknown'
}

/**
 * Unpacks Debian packages and everything they need that the system has not got into `folder`.
 * Nothing is installed: no root needed, no service started by a package script, apt's own lists
 * and locks untouched. What begins with one of `own` is fetched even if the system has it, since
 * half a program here and half there would not fit together after an upgrade.
 */
async function unpackPackages(names, { folder, own }) {
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
async function debianRelease() {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const release = /^VERSION_CODENAME=(.+)$/m.exec(text)?.[1]
  if (release === undefined) throw new Error('This is not a Debian system.')
  return release
}

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

const COPY_JARS = [
  '--batch-mode',
  '--quiet',
  `${PLUGIN}:copy-dependencies`,
  '-DincludeScope=runtime',
  '-DoutputDirectory=lib',
]

/** The folder with one archive unpacked, named as `group:artifact:version:type:classifier`. */
export function fetchedArtifact(name, artifact, log) {
  const args = [`-Dartifact=${artifact}`, '-DoutputDirectory=.', '-Dmdep.overWriteReleases=true']
  return fillCache(name, async (folder) => {
    log(`fetching ${name}, half a minute or more the first time`)
    const command = ['--batch-mode', '--quiet', `${PLUGIN}:unpack`, ...args]
    await runWithRetries('mvn', command, { cwd: folder })
  })
}

export function java() {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java'
}

function pomOf(jars) {
  const dependencies = jars.map((jar) => {
    const [group, artifact, version] = jar.split(':')
    return `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>posthorn</groupId>
  <artifactId>jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</project>
`
}

// node scripts/dashboard.mjs [--bare]: builds apps/dashboard/dist if its sources are not the ones it was
// built from; with --bare apps/dashboard/dist.bare, without the pages of systems, as it is published.
// Quiet unless there is something to do. Any Node from 18 on runs it; the build itself runs on the Node
// that the packages bring along.

import { createHash } from 'node:crypto'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { node, readText as read, root, runCommand } from './command.mjs'
import { withLock } from './setup-lock.mjs'

const dashboard = join(root, 'apps', 'dashboard')
const isBare = process.argv.includes('--bare')
const dist = join(dashboard, isBare ? 'dist.bare' : 'dist')
/** Names the systems whose pages are built in. */
const config = isBare ? '' : join(root, 'posthorn.config.ts')
const stamp = join(dist, '.built-from')

function isFresh() {
  return read(stamp) === fingerprint()
}

/** What a build follows from: the dashboard's files, the texts it shows, its packages' versions. */
function fingerprint() {
  const hash = createHash('sha256').update(read(join(root, 'package-lock.json')))
  const names = ['index.html', 'portal.html', 'package.json', 'build.mjs'].map((name) =>
    join(dashboard, name),
  )
  const systems = list(join(root, 'systems')).map(({ name }) => join(root, 'systems', name))
  const pages = systems.flatMap((system) => [
    join(system, 'reference.md'),
    ...filesIn(join(system, 'web')),
  ])
  const files = [
    ...names,
    join(root, 'docs', 'reference', 'errors.md'),
    ...filesIn(join(dashboard, 'src')),
    ...filesIn(join(dashboard, 'public')),
    ...(isBare ? [] : [config, ...pages]),
  ]
  for (const file of files) hash.update(`${relative(dashboard, file)}\n${read(file)}\n`)
  return hash.digest('hex')
}

async function build(lock) {
  console.error('Building the dashboard ...')
  // Taken before: what is changed during the build makes the next one stale.
  const builtFrom = fingerprint()
  const draft = `${dist}.${process.pid}`
  try {
    await runBuild(lock, draft)
    writeFileSync(join(draft, '.built-from'), builtFrom)
    replace(dist, draft)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function runBuild(lock, folder) {
  const args = [join(dashboard, 'build.mjs'), config, folder]
  const { status, output } = await runCommand(node, args, { onStart: lock.share })
  if (status !== 0) throw new BuildError(`${output}\nThe dashboard was not built.`)
}

/** The old build is there until the new one is: a server that runs beside serves one or the other. */
function replace(old, draft) {
  const aside = `${draft}.old`
  try {
    renameSync(old, aside)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  renameSync(draft, old)
  rmSync(aside, { recursive: true, force: true })
}

/** Every file below a folder, in a fixed order. */
function filesIn(folder) {
  return list(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

function list(folder) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

/** An error that the user can fix: printed without a stack. */
class BuildError extends Error {}

try {
  const lock = join(root, '.posthorn', 'dashboard.lock')
  // The former holder of the lock may have built it.
  const buildIfStale = async (held) => isFresh() || build(held)
  if (!isFresh()) await withLock(lock, buildIfStale, 'building the dashboard')
} catch (error) {
  if (!(error instanceof BuildError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

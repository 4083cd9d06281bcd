// Installs the packages if they are missing or stale, so that `npm start` and `npm test` work on a
// fresh clone. Plain JavaScript without dependencies: any Node from 18 on runs it, since the Node
// that the rest needs is itself one of the packages.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { node, readText as read, root, runCommand } from './command.mjs'
import { withLock } from './setup-lock.mjs'

const NODE_MAJOR = 24
const modules = join(root, 'node_modules')
const stamp = join(modules, '.posthorn-setup')
const lockFile = join(root, 'package-lock.json')

async function setUp(lock) {
  // The former holder of the lock may have done it all.
  if (isReady()) return
  if (!isInstalled()) await install(lock)
  checkNode()
  writeFileSync(stamp, fingerprint())
}

function isReady() {
  return read(stamp) === fingerprint() && nodeMajor() === NODE_MAJOR
}

/** What the installed packages follow from: the lock file and what every workspace asks for. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  hash.update(read(lockFile))
  for (const folder of ['', ...workspaces()]) hash.update(`${folder} ${manifestOf(folder)}\n`)
  return hash.digest('hex')
}

/** Only what npm looks at: a changed script or description is no reason to install. */
function manifestOf(
  folder,
  manifest = JSON.parse(read(join(root, folder, 'package.json')) || '{}'),
) {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest
  const sorted = (names = {}) =>
    Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(
    [dependencies, devDependencies, peerDependencies, optionalDependencies].map(sorted),
  )
}

function workspaces() {
  const patterns = JSON.parse(read(join(root, 'package.json'))).workspaces ?? []
  return patterns
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [pattern]
      const parent = pattern.slice(0, -2)
      return list(join(root, parent)).map((name) => `${parent}/${name}`)
    })
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .sort()
}

/**
 * Whether npm itself, run by hand, has brought everything the lock file names. npm writes its own
 * list of what is there as its last step, so a run that was killed is seen here.
 */
function isInstalled() {
  const there = packagesIn(join(modules, '.package-lock.json'))
  const wanted = packagesIn(lockFile)
  if (there === undefined || wanted === undefined || nodeMajor() !== NODE_MAJOR) return false
  const asksForMore = (folder) => manifestOf(folder) !== manifestOf(folder, wanted[folder] ?? {})
  if (['', ...workspaces()].some(asksForMore)) return false
  return Object.entries(wanted).every(([path, { version, optional, link, resolved }]) => {
    if (path === '' || !path.startsWith('node_modules/')) return true
    if (!existsSync(join(root, path))) return optional === true
    if (link) return there[path]?.resolved === resolved
    return there[path]?.version === version
  })
}

function packagesIn(file) {
  try {
    return JSON.parse(read(file)).packages
  } catch {
    return undefined
  }
}

async function install(lock) {
  console.error('Installing packages, about a minute the first time ...')
  // The stamp first: a run killed in the middle must not look finished.
  rmSync(stamp, { force: true })
  if (!existsSync(lockFile)) return orFail(await npm(lock, ['install']))
  const exact = await npm(lock, ['ci'])
  // npm ci also refuses a lock file that leaves out packages of other platforms.
  if (!exact.output.includes('code EUSAGE')) return orFail(exact)
  console.error(
    'package-lock.json does not cover package.json: run `node scripts/complete-lock.mjs`.',
  )
  return orFail(await npm(lock, ['install', '--no-save']))
}

async function npm(lock, command) {
  // Regardless of production or scripts in the environment: Node itself comes this way.
  const always = ['--include=dev', '--include=optional', '--ignore-scripts=false', '--no-audit']
  const how = { env: outsideEnvironment(), onStart: lock.share }
  const { status, output } = await runCommand('npm', [...command, ...always], how)
  return { status, output: `${output}\nnpm ${command.join(' ')} failed; nothing was started.` }
}

function orFail({ status, output }) {
  if (status !== 0) throw new SetupError(output)
}

/** Without our own node_modules/.bin: npm must not run on the Node that it is about to replace. */
function outsideEnvironment() {
  const paths = (process.env.PATH ?? '').split(delimiter)
  const own = join(modules, '.bin')
  return { ...process.env, PATH: paths.filter((path) => path !== own).join(delimiter) }
}

function checkNode() {
  const major = nodeMajor()
  if (major === NODE_MAJOR) return
  const found = major === undefined ? 'none that runs' : `version ${major}`
  throw new SetupError(
    `Posthorn needs Node ${NODE_MAJOR}, which the package "node" brings along, but there is ${found} ` +
      `in node_modules/.bin.\nIts install script did not run or could not fetch the binary: remove ` +
      `node_modules and try again with scripts allowed.`,
  )
}

function nodeMajor() {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return status === 0 ? Number(/^v(\d+)/.exec(stdout)?.[1]) : undefined
}

function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** An error that the user can fix: printed without a stack. */
class SetupError extends Error {}

try {
  const lock = join(root, '.posthorn', 'setup.lock')
  if (!isReady()) await withLock(lock, setUp, 'installing packages')
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

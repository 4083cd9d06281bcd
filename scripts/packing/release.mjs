import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

const VERSION = /^(\d+)\.(\d+)\.(\d+)(-[0-9a-z.-]+)?$/

/** Why `version` cannot follow `former`; nothing if it can. */
export function objectionTo(version, former) {
  if (!VERSION.test(version)) return `'${version}' is no version such as 1.2.3 or 1.2.3-rc.1.`
  const [next, last] = [version, former].map((text) => VERSION.exec(text).slice(1, 4).map(Number))
  const at = next.findIndex((number, i) => number !== last[i])
  const isLater = at >= 0 ? next[at] > last[at] : former.includes('-') && version !== former
  return isLater ? undefined : `${version} does not come after ${former}.`
}

/** A package.json with its own version, and those of our packages that it asks for, as they are to be. */
export function withVersion(manifest, version) {
  const raised = (dependencies) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [name, isOurs(name) ? version : range]),
    )
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  const own = fields.filter((field) => manifest[field] !== undefined)
  return {
    ...manifest,
    ...(manifest.version && { version }),
    ...Object.fromEntries(own.map((field) => [field, raised(manifest[field])])),
  }
}

function isOurs(name) {
  return name.startsWith('@posthorn/') || name === 'create-posthorn'
}

/** The lock file with our packages at `version`; nothing of others is touched. */
export function lockWithVersion(lock, version) {
  const isOwn = (place) => !place.includes('node_modules')
  const packages = Object.entries(lock.packages).map(([place, each]) => [
    place,
    isOwn(place) ? withVersion(each, version) : each,
  ])
  return { ...lock, packages: Object.fromEntries(packages) }
}

/** The changelog with what was unreleased under its version and day, and nothing unreleased. */
export function closeChangelog(text, { version, day }) {
  const head = '## [Unreleased]\n'
  const [before, rest] = text.split(head)
  if (rest === undefined) throw new Error('CHANGELOG.md has no section [Unreleased].')
  const [unreleased] = rest.split(/^## \[/m)
  if (!/^- /m.test(unreleased)) throw new Error('CHANGELOG.md says nothing under [Unreleased].')
  return `${before}${head}\n## [${version}] - ${day}\n${rest}`
}

/** A line for each file, as `sha512sum --check` reads them. */
export async function digestsOf(files) {
  const lines = []
  for (const file of files) {
    const digest = createHash('sha512')
      .update(await readFile(file))
      .digest('hex')
    lines.push(`${digest}  ${basename(file)}\n`)
  }
  return lines.join('')
}

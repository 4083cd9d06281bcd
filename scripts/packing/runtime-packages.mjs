import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../command.mjs'

/** What is installed where Posthorn runs: the programs, and the packages that others install. */
const SHIPPED = /^(packages\/(?!fuzz)|apps\/|systems\/)/

/**
 * Every package of others that is needed at run time, by package-lock.json: name, version, licence,
 * integrity, and the places of those it needs. `npm sbom --omit dev` is not used for it: in
 * workspaces it leaves out what a development tool needs too.
 */
export function listPackages() {
  const { packages } = readLock()
  const from = Object.keys(packages).filter(
    (place) => SHIPPED.test(place) && !place.includes('node_modules/'),
  )
  const foreign = reachPackages({ from }).filter(({ place }) => place.includes('node_modules/'))
  return foreign.map(({ place, version, license, integrity, needs }) => ({
    ...{ place, version, integrity, name: nameOf(place) },
    licence: license ?? licenceBeside(nameOf(place), foreign),
    needs: needs.filter((each) => each.includes('node_modules/')),
  }))
}

/**
 * What the packages at `from` need to run, they themselves included, as the lock file has them. Not
 * beyond those that `enters` says no to, and without those that `takes` says no to. `link` is the
 * place by which one of ours is imported.
 */
export function reachPackages({ from, enters = () => true, takes = () => true }) {
  const lock = readLock()
  const links = new Map(
    Object.entries(lock.packages).flatMap(([place, entry]) =>
      entry.link ? [[entry.resolved, place]] : [],
    ),
  )
  const found = new Map()
  const visit = (place) => {
    if (found.has(place) || !takes(place)) return
    const entry = lock.packages[place]
    const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    const needs = names.map((name) => resolve(lock, place, name)).filter(Boolean)
    found.set(place, { ...entry, place, needs, link: links.get(place) })
    if (enters({ place })) needs.forEach(visit)
  }
  from.forEach(visit)
  return [...found.values()]
}

function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
}

/** As Node finds a package: in the nearest folder of packages on the way up; of ours, its source. */
export function resolve({ packages }, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (place in packages) return packages[place].link ? packages[place].resolved : place
    if (at === '') return undefined
  }
}

function nameOf(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Binaries for other platforms have no licence in the lock file: they are parts of one package. */
function licenceBeside(name, all) {
  const [scope] = name.split('/')
  const beside = all.find(({ place, license }) => license && nameOf(place).startsWith(`${scope}/`))
  return beside?.license ?? 'unknown'
}

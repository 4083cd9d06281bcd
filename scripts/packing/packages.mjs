import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../command.mjs'

/** What others install. The simulators, systems and apps belong to this repository. */
const PUBLISHED = ['engine', 'postgres', 'transports', 'domain', 'saga', 'http']

/** The packages of these names, all that are published for none. */
export function readPackages(names) {
  const unknown = names.filter((name) => !PUBLISHED.includes(name))
  if (unknown.length > 0) {
    throw new Error(`No such package: ${unknown.join(', ')}. There are ${PUBLISHED.join(', ')}.`)
  }
  return PUBLISHED.filter((name) => names.length === 0 || names.includes(name)).map(readPackage)
}

function readPackage(folder) {
  const manifest = readManifest(join('packages', folder))
  return {
    folder,
    manifest,
    /** The modules that others import: the keys of `exports` and the sources behind them. */
    doors: Object.entries(manifest.exports),
    tarball: `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
  }
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

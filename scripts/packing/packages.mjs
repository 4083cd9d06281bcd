import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../command.mjs'

/**
 * What others install, and where its sources are. What is imported stands before what imports it.
 */
const FOLDERS = {
  engine: 'packages/engine',
  operate: 'packages/operate',
  postgres: 'packages/postgres',
  transports: 'packages/transports',
  domain: 'packages/domain',
  saga: 'packages/saga',
  http: 'packages/http',
  nest: 'packages/nest',
  simulators: 'packages/simulators',
  system: 'packages/system',
  incidents: 'packages/incidents',
  dashboard: 'apps/dashboard',
  server: 'apps/server',
  'create-posthorn': 'apps/create-posthorn',
  cli: 'apps/cli',
}
/** The documentation as `npm run docs` builds it. */
export const SITE = 'apps/server/dist/docs'

const PUBLISHED = Object.keys(FOLDERS)

/** The packages of these names, all that are published for none. */
export function readPackages(names) {
  const unknown = names.filter((name) => !PUBLISHED.includes(name))
  if (unknown.length > 0) {
    throw new Error(`No such package: ${unknown.join(', ')}. There are ${PUBLISHED.join(', ')}.`)
  }
  return PUBLISHED.filter((name) => names.length === 0 || names.includes(name)).map(readPackage)
}

function readPackage(name) {
  const folder = FOLDERS[name]
  const manifest = readManifest(folder)
  const { publishConfig = {}, exports = {} } = manifest
  return {
    folder,
    manifest,
    /** Where the modules are: the built ones come into `dist` instead. */
    sources: existsSync(join(root, folder, 'src')) ? join(folder, 'src') : folder,
    /** The modules that others import: the keys of `exports` and the sources behind them. */
    doors: Object.entries(publishConfig.exports ?? exports),
    /** What the program imports. */
    programs: manifest.bin ? ['./src/main.ts'] : [],
    /** Nothing is to be compiled: a build is packed as it is. */
    isBuilt: name === 'dashboard',
    /** It serves the documentation. */
    hasSite: name === 'server',
    /** What every process of a user imports first: few files instead of many. */
    isBundled: name === 'engine',
    tarball: `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
  }
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

import { readManifest } from './packages.mjs'

/**
 * The package.json that is published. The one in the repository exports sources, which Node does
 * not run below node_modules, and asks for what only tests need.
 */
export function publishedManifest({ folder, manifest, doors, isBuilt }, types) {
  const { name, version, description, license, type, bin } = manifest
  const { optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest
  const { publishConfig = {} } = manifest
  const doorOf = isBuilt ? (source) => source : builtDoor
  const exports = Object.fromEntries(doors.map(([door, source]) => [door, doorOf(source)]))
  return {
    name,
    version,
    description,
    license,
    ...repositoryOf(folder),
    type,
    ...(doors.length > 0 && { exports }),
    ...(bin && { bin }),
    files: filesOf({ isBuilt, bin }),
    engines: publishConfig.engines ?? manifest.engines,
    // A build has everything inside.
    dependencies: isBuilt
      ? {}
      : sortNames({ ...manifest.dependencies, ...separateTypes(types, manifest) }),
    ...(optionalDependencies && { optionalDependencies }),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
    ...(isBuilt && forBuilding(manifest)),
    // npm refuses to publish it from anywhere but a build that can say from which commit it comes.
    publishConfig: { access: 'public', provenance: true },
  }
}

/** What users build a dashboard with their own pages from. */
export const BUILT_FROM = ['src', 'public', 'index.html', 'portal.html', 'build.mjs']

function filesOf({ isBuilt, bin }) {
  if (isBuilt) return ['dist', 'errors.md', ...BUILT_FROM]
  return bin ? ['bin', 'dist'] : ['dist']
}

/** The packages that a build needs: who only runs the published one does not install them. */
function forBuilding({ dependencies, devDependencies }) {
  const tools = ['vite', '@vitejs/plugin-react'].map((name) => [name, devDependencies[name]])
  const peerDependencies = sortNames({ ...dependencies, ...Object.fromEntries(tools) })
  const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }])
  return { peerDependencies, peerDependenciesMeta: Object.fromEntries(optional) }
}

/** Where the sources are, once package.json at the root says so. */
function repositoryOf(directory) {
  const { repository } = readManifest('.')
  return repository?.url ? { repository: { ...repository, directory } } : {}
}

/** `types` first: the first condition that holds is taken. */
function builtDoor(source) {
  const module = source.replace(/^\.\/(src\/)?/, './dist/').replace(/\.ts$/, '')
  return { types: `${module}.d.ts`, default: `${module}.js` }
}

/**
 * The types of packages that have none of their own. They are tools to this repository, but a
 * dependency to users of our declarations.
 */
function separateTypes(imported, { devDependencies }) {
  const tools = Object.entries({ ...readManifest('.').devDependencies, ...devDependencies })
  return Object.fromEntries(
    tools.filter(([name]) => imported.has(/^@types\/(.+)$/.exec(name)?.[1])),
  )
}

function sortNames(dependencies) {
  return Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)))
}

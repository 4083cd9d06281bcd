import { readManifest } from './packages.mjs'

/**
 * The package.json that is published. The one in the repository exports sources, which Node does
 * not run below node_modules, and asks for what only tests need.
 */
export function publishedManifest({ folder, manifest, doors, isBuilt }, imported) {
  const { name, version, description, license, type, bin } = manifest
  const { peerDependencies, peerDependenciesMeta, publishConfig = {} } = manifest
  const exports = Object.fromEntries(doors.map(([door, source]) => [door, builtDoor(source)]))
  return {
    name,
    version,
    description,
    license,
    ...repositoryOf(folder),
    type,
    ...(doors.length > 0 && { exports }),
    ...(bin && { bin }),
    files: bin ? ['bin', 'dist'] : ['dist'],
    engines: publishConfig.engines ?? manifest.engines,
    // A build has everything inside.
    dependencies: isBuilt ? {} : dependenciesOf(manifest, imported),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
    // npm refuses to publish it from anywhere but a build that can say from which commit it comes.
    publishConfig: { access: 'public', provenance: true },
  }
}

/** Where the sources are, once package.json at the root says so. */
function repositoryOf(directory) {
  const { repository } = readManifest('.')
  return repository?.url ? { repository: { ...repository, directory } } : {}
}

/** Of a package that publishes only some of its modules, what those import. */
function dependenciesOf(manifest, imported) {
  const { dependencies, publishConfig = {} } = manifest
  const needed = Object.entries(dependencies).filter(
    ([name]) => publishConfig.exports === undefined || imported.names.has(name),
  )
  return sortNames({ ...Object.fromEntries(needed), ...separateTypes(imported.types, manifest) })
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

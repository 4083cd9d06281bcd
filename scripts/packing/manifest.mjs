import { readManifest } from './packages.mjs'

/**
 * The package.json that is published. The one in the repository exports sources, which Node does
 * not run below node_modules, and asks for what only tests need.
 */
export function publishedManifest({ manifest, doors }, importedTypes) {
  const { name, version, description, license, type, engines } = manifest
  const { peerDependencies, peerDependenciesMeta } = manifest
  return {
    name,
    version,
    description,
    license,
    type,
    exports: Object.fromEntries(doors.map(([door, source]) => [door, builtDoor(source)])),
    files: ['dist'],
    engines,
    dependencies: sortNames({
      ...manifest.dependencies,
      ...separateTypes(importedTypes, manifest),
    }),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
  }
}

/** `types` first: the first condition that holds is taken. */
function builtDoor(source) {
  const module = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '')
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

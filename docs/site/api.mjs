import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Application } from 'typedoc'
import { readPackages } from '../../scripts/packing/packages.mjs'
import { root } from './pages.mjs'

/** Pages in `out`, one for each module that users import, from the comments in its sources. */
export async function describeApi(out) {
  const doors = readPackages([]).flatMap(modulesOf)
  const files = doors.map(({ file }) => join(root, file))
  const app = await Application.bootstrapWithPlugins({
    ...OPTIONS,
    entryPoints: files,
    tsconfig: await writeConfig(`${out}.json`, files),
    out,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('typedoc could not read the packages.')
  await app.generateOutputs(project)
  return Promise.all(doors.map((door) => readPage(door, out)))
}

const OPTIONS = {
  plugin: ['typedoc-plugin-markdown'],
  router: 'module',
  readme: 'none',
  logLevel: 'Error',
  // `npm run types` checks them.
  skipErrorChecking: true,
  disableSources: true,
  excludeExternals: true,
  excludePrivate: true,
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', '*'],
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
}

/** The doors of a package but those between our own packages. */
function modulesOf({ folder, manifest: { name, description }, doors, isBuilt }) {
  if (isBuilt) return []
  const published = doors.filter(([door, file]) => /\.ts$/.test(file) && door !== './internal')
  return published.map(([door, file]) => ({
    name: `${name}${door.slice(1)}`,
    file: join(folder, file),
    about: door === '.' ? description : `Part of \`${name}\`.`,
  }))
}

/** typedoc needs a TypeScript that programs can call, which is older than the project's. */
async function writeConfig(file, files) {
  const compilerOptions = { lib: ['es2024', 'esnext', 'dom', 'dom.iterable'] }
  const typeRoots = [join(root, 'node_modules/@types')]
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { ...compilerOptions, typeRoots },
    include: [],
    files,
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, JSON.stringify(config))
  return file
}

async function readPage({ name, file, about }, out) {
  const path = file.replace(/(\/index)?\.ts$/, '.md')
  const text = await readFile(join(out, path), 'utf8')
  return {
    // Links between these pages are relative to it.
    path: join('api', path),
    text: text.replace(/^# .+/, () => `# ${name}\n\n${about}`),
    slug: `reference/packages/${name.replace(/^@posthorn\//, '')}`,
    isApi: true,
  }
}

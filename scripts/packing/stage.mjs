import { cp, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { root } from '../command.mjs'
import { bundle } from './compile.mjs'
import { BUILT_FROM, publishedManifest } from './manifest.mjs'
import { SITE } from './packages.mjs'
import { readFileSync } from 'node:fs'

/** Makes `<staging>/<folder>`, where the compiler has been, the package as it is published. */
export async function stage(each, staging) {
  const to = join(staging, each.folder)
  const dist = join(to, 'dist')
  if (each.isBuilt) await copyBuild(join(root, each.folder), to)
  else {
    const compiled = `${to}.compiled`
    await rename(join(staging, each.sources), compiled)
    await mkdir(to, { recursive: true })
    await rename(compiled, dist)
    await copyReadFiles(join(root, each.sources), dist)
    await inlineMigrations(dist)
    if (each.isBundled) await bundle(dist, each.doors)
  }
  if (each.hasSite) await copySite(join(dist, basename(SITE)))
  const manifest = publishedManifest(each, await readTypes(dist))
  if (manifest.bin) await stagePrograms(each, manifest, to)
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(to, 'README.md'), readmeOf(manifest))
  await cp(join(root, 'LICENSE'), join(to, 'LICENSE'))
}

/** What a build without systems made, and the sources from which users build theirs. */
async function copyBuild(from, to) {
  const filter = (path) => !/\.built-from$|\.test\.ts$|\/testing$/.test(path)
  await cp(join(from, 'dist.bare'), join(to, 'dist'), { recursive: true, filter })
  for (const name of BUILT_FROM) {
    await cp(join(from, name), join(to, name), { recursive: true, filter })
  }
  await cp(join(root, 'docs', 'reference', 'errors.md'), join(to, 'errors.md'))
}

/** Without compressed copies, which would double what a tarball of compressed files weighs. */
function copySite(to) {
  const filter = (path) => !/\.gz$|\.built-from$/.test(path)
  return cp(join(root, SITE), to, { recursive: true, filter })
}

/** Programs import what was compiled, and run on every Node that it was compiled for. */
async function stagePrograms({ folder }, { bin, engines }, to) {
  const [major] = /\d+/.exec(engines.node)
  for (const file of Object.values(bin)) {
    const text = await readFile(join(root, folder, file), 'utf8')
    const built = text
      .replace("'../src/main.ts'", "'../dist/main.js'")
      .replace(/const NEEDED = \d+/, `const NEEDED = ${major}`)
    await mkdir(dirname(join(to, file)), { recursive: true })
    await writeFile(join(to, file), built, { mode: 0o755 })
  }
}

/**
 * Copies what the code reads when it runs, such as migrations. Such a file belongs to the code of
 * its folder, or of the nearest one above that has any: what only tests use stays behind with them.
 */
async function copyReadFiles(src, dist) {
  const sources = await filesBelow(src)
  const isCode = (file) => file.endsWith('.ts')
  const isRead = (file) => !isCode(file) && file !== 'package.json'
  const written = new Set(sources.filter(isCode).map(dirname))
  const compiled = new Set((await filesBelow(dist)).map(dirname))
  for (const file of sources.filter(isRead)) {
    let owner = dirname(file)
    while (owner !== '.' && !written.has(owner)) owner = dirname(owner)
    if (compiled.has(owner)) await cp(join(src, file), join(dist, file))
  }
}

const READS_FOLDER =
  /(?<call>migrationsFrom\([^;]*?, )new URL\('(?<folder>[^']+)', import\.meta\.url\)/g

/** Puts migrations into modules: a bundle of an application has no folder beside it to read them from. */
async function inlineMigrations(dist) {
  const files = await filesBelow(dist)
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(dist, file), 'utf8')
    const [found, ...others] = text.matchAll(READS_FOLDER)
    if (found === undefined) continue
    if (others.length > 0) throw new Error(`${file} reads two folders of migrations.`)
    const { call, folder } = found.groups
    const own = join(dirname(file), folder)
    const steps = files.filter(
      (name) => dirname(name) === own.replace(/\/$/, '') && name.endsWith('.sql'),
    )
    if (steps.length === 0)
      throw new Error(`${file} reads migrations of ${folder}, which has none.`)
    const entries = steps.map(async (name) => [
      basename(name),
      await readFile(join(dist, name), 'utf8'),
    ])
    const texts = JSON.stringify(Object.fromEntries(await Promise.all(entries)), null, 2)
    await writeFile(join(dist, own, 'index.js'), `export const MIGRATIONS = ${texts}\n`)
    const from = folder.startsWith('.') ? folder : `./${folder}`
    const rewritten = text.replace(found[0], `${call}MIGRATIONS`)
    await writeFile(join(dist, file), `import { MIGRATIONS } from '${from}index.js'\n${rewritten}`)
  }
}

/** The packages whose types the declarations mention. */
async function readTypes(dist) {
  const types = new Set()
  for (const file of (await filesBelow(dist)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(join(dist, file), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()["']([^."'][^"']*)["']/g)) {
      types.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
    }
  }
  return types
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

const PAGES = 'https://www.npmjs.com/package'

/** What npm shows of a package: what it is for, how to get it, an example, what can be imported. */
function readmeOf(manifest) {
  const { name, description, engines, exports = {}, peerDependencies = {}, license } = manifest
  // A test compiles those in TypeScript.
  const example = new URL(`examples/${name.replace('@posthorn/', '')}.md`, import.meta.url)
  const doors = Object.keys(exports).map((door) => `- \`${name}${door.slice(1)}\``)
  const peers = Object.entries(peerDependencies).map(([peer, range]) => `- \`${peer}\` ${range}`)
  return [
    `# ${name}`,
    description,
    // What npm itself runs is not installed first.
    ...(name.startsWith('create-') ? [] : [`\`\`\`sh\nnpm install ${name}\n\`\`\``]),
    readFileSync(example, 'utf8').trim(),
    `Node ${engines.node}${doors.length > 0 ? '; modules with their types:' : '.'}`,
    ...(doors.length > 0 ? [doors.join('\n')] : []),
    ...(peers.length > 0 ? ['Optional, for the modules that use them:', peers.join('\n')] : []),
    `${whereNext(manifest)} ${license} licence.\n`,
  ].join('\n\n')
}

/** The guide at the version that the package has, once it is known where the sources are. */
function whereNext({ name, version, repository }) {
  const project = (url) => `Part of [Posthorn](${url}): reliable messages for PostgreSQL.`
  const home = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(repository?.url ?? '')?.[1]
  if (home) {
    const docs = `${home}/blob/v${version}/docs`
    const start = `[Start with the guide](${docs}/guide/quick-start.md)`
    return `${project(home)} ${start}, or see [all of the documentation](${docs}/README.md).`
  }
  if (name !== '@posthorn/engine') return project(`${PAGES}/@posthorn/engine`)
  return `[A service to start with](${PAGES}/create-posthorn): \`npm create posthorn\`.`
}

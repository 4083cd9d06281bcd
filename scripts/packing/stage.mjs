import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { root } from '../command.mjs'
import { publishedManifest } from './manifest.mjs'
import { readmeOf } from './readme.mjs'

/** Makes `<staging>/<folder>`, where the compiler has been, the package as it is published. */
export async function stage(each, staging) {
  const from = join(root, 'packages', each.folder)
  const to = join(staging, each.folder)
  const dist = join(to, 'dist')
  await rename(join(to, 'src'), dist)
  await copyReadFiles(join(from, 'src'), dist)
  const manifest = publishedManifest(each, await importedTypes(dist))
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(to, 'README.md'), readmeOf(manifest))
  await cp(join(root, 'LICENSE'), join(to, 'LICENSE'))
}

/**
 * Copies what the code reads when it runs, such as migrations. Such a file belongs to the code of
 * its folder, or of the nearest one above that has any: what only tests use stays behind with them.
 */
async function copyReadFiles(src, dist) {
  const sources = await filesBelow(src)
  const isCode = (file) => file.endsWith('.ts')
  const written = new Set(sources.filter(isCode).map(dirname))
  const compiled = new Set((await filesBelow(dist)).map(dirname))
  for (const file of sources.filter((name) => !isCode(name))) {
    let owner = dirname(file)
    while (owner !== '.' && !written.has(owner)) owner = dirname(owner)
    if (compiled.has(owner)) await cp(join(src, file), join(dist, file))
  }
}

/** The packages whose types the declarations mention, each by its name. */
async function importedTypes(dist) {
  const names = new Set()
  for (const file of (await filesBelow(dist)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(join(dist, file), 'utf8')
    for (const [, specifier] of text.matchAll(/(?:\bfrom |\bimport\()["']([^."'][^"']*)["']/g)) {
      names.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
    }
  }
  return names
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

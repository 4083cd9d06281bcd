import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'

/** Our packages as files, each with those of ours that it needs. */
export interface Tarballs {
  readonly files: ReadonlyMap<string, string>
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/** Reads the folder that `npm run pack -- --to` has filled. */
export async function readTarballs(folder: string): Promise<Tarballs> {
  const files = new Map<string, string>()
  const needs = new Map<string, readonly string[]>()
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, 'package/package.json'])
    const manifest = JSON.parse(stdout)
    files.set(manifest.name, file)
    needs.set(manifest.name, Object.keys(manifest.dependencies ?? {}))
  }
  return { files, needs }
}

/**
 * Puts the files in the place of what a service asks npm for by version, and of what that asks for in
 * turn: nothing of ours is published yet. Nothing else is added.
 */
export async function useTarballs(service: string, tarballs: Tarballs): Promise<void> {
  const path = join(service, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8'))
  const reached = new Set<string>()
  const reach = (name: string) => {
    if (reached.has(name) || !tarballs.files.has(name)) return
    reached.add(name)
    tarballs.needs.get(name)?.forEach(reach)
  }
  const groups = [manifest.dependencies, manifest.devDependencies]
  for (const group of groups) Object.keys(group).forEach(reach)
  const specOf = (name: string) => `file:${tarballs.files.get(name)}`
  for (const group of groups) {
    for (const name of Object.keys(group)) if (reached.has(name)) group[name] = specOf(name)
  }
  const direct = new Set(groups.flatMap((group) => Object.keys(group)))
  const indirect = [...reached].filter((name) => !direct.has(name))
  manifest.overrides = Object.fromEntries(indirect.map((name) => [name, specOf(name)]))
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`)
}

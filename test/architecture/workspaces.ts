import { globSync, readFileSync } from 'node:fs'
import { root } from './source-files.ts'

/** What a workspace's package.json says, as far as imports go. */
export interface Workspace {
  readonly name: string
  readonly folder: string
  /** The specifiers that others may import: the name, and the name with each subpath. */
  readonly entryPoints: readonly string[]
  readonly dependencies: readonly string[]
  readonly devDependencies: readonly string[]
}

interface Manifest {
  readonly name: string
  readonly workspaces?: readonly string[]
  readonly exports?: string | Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export function workspaces(): Workspace[] {
  const folders = globSync([...(readManifest('.').workspaces ?? [])], { cwd: root })
  return folders
    .filter((folder) => globSync(`${folder}/package.json`, { cwd: root }).length > 0)
    .map((folder) => asWorkspace(folder, readManifest(folder)))
}

/** The packages that the root brings for the tests of all workspaces. */
export function readSharedDevDependencies(): readonly string[] {
  return asWorkspace('.', readManifest('.')).devDependencies
}

function asWorkspace(folder: string, manifest: Manifest): Workspace {
  const { name, exports = {}, dependencies, peerDependencies, optionalDependencies } = manifest
  const subpaths = typeof exports === 'string' ? ['.'] : Object.keys(exports)
  return {
    name,
    folder,
    entryPoints: subpaths.map((subpath) => name + subpath.slice(1)),
    dependencies: [dependencies, peerDependencies, optionalDependencies].flatMap((group) =>
      Object.keys(group ?? {}),
    ),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${root}/${folder}/package.json`, 'utf8'))
}

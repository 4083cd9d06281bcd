import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A source file by its path from the root. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const FOLDERS = 'packages,systems,apps,bench,test,proof,scripts,examples'

/** Generated: they are not read, and their sources are checked. */
const GENERATED = ['apps/dashboard/src/api/schema.d.ts']

/** Every TypeScript and JavaScript file of ours. */
export function sourceFiles(): SourceFile[] {
  return globSync(`{${FOLDERS}}/**/*.{ts,tsx,mts,mjs}`, {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist', '.posthorn', '.services'].includes(name),
  })
    .filter((path) => !GENERATED.includes(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
}

/** Every migration that runs on databases of others, and the examples of the lock proof. */
export function migrationFiles(): SourceFile[] {
  const folders = ['packages/*/src/**', 'systems/*', '{test,proof}/upgrade']
  return globSync(
    folders.map((folder) => `${folder}/migrations/*.sql`),
    { cwd: root },
  )
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path)
}

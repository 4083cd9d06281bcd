import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadSystems } from '@posthorn/server'
import type { ServerTests } from '@posthorn/server/testing'
import { root } from '../architecture/source-files.ts'

/** What the installed systems add to one of the tests of a whole server. */
export async function contributionsTo<Part extends keyof ServerTests>(
  part: Part,
): Promise<readonly NonNullable<ServerTests[Part]>[]> {
  const installed = (await loadSystems({})).map(({ name }) => name)
  const files = globSync('systems/*/testing/server-tests.ts', { cwd: root })
  const own = files.filter((path) => installed.includes(path.split('/')[1] ?? '')).toSorted()
  const parts = own.map(async (path) => {
    const module = (await import(pathToFileURL(join(root, path)).href)) as object
    return (module as { serverTests: ServerTests }).serverTests[part]
  })
  return (await Promise.all(parts)).filter((each) => each !== undefined)
}

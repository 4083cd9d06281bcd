import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { filesOf, type ServiceOptions } from './files.ts'

export { DESTINATIONS } from './destinations.ts'
export { ORMS } from './orms.ts'
export type { ServiceOptions }

/** The files that were written, or why none was. */
export type Made =
  | { readonly kind: 'made'; readonly files: readonly string[]; readonly next: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Writes the files of a service into a folder that is empty or new. */
export async function makeService(folder: string, options: ServiceOptions): Promise<Made> {
  const at = resolve(folder)
  const there = await visibleIn(at)
  if (there.length > 0) {
    const reason = `${at} is not empty: it has ${there.slice(0, 3).join(', ')}`
    return { kind: 'refused', reason }
  }
  const files = filesOf({ name: packageName(at), ...options })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(at, path)), { recursive: true })
    // Another process may write there at the same time: what is there stays.
    await writeFile(join(at, path), text, { flag: 'wx' })
  }
  const goThere = folder === '.' ? '' : `cd ${folder} && `
  const next = `Next: ${goThere}npm install && npm start; README.md says the rest.`
  return { kind: 'made', files: Object.keys(files), next }
}

/** What an editor or git has put there does not count. */
async function visibleIn(folder: string): Promise<string[]> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return there.filter((name) => !name.startsWith('.'))
}

/** A name that npm takes. */
function packageName(folder: string): string {
  const plain = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
  return plain.replaceAll(/^-+|-+$/g, '') || 'service'
}

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { InitOptions } from '../commands/init.ts'
import { EXIT, UsageError, type ExitCode } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import { filesOf } from './files.ts'

/** Writes the files of a service into an empty folder, and says what to do with them. */
export async function makeService(
  terminal: Terminal,
  { folder, ...choice }: InitOptions & { readonly folder: string },
): Promise<ExitCode> {
  const at = resolve(folder)
  await refuseFull(at)
  const files = filesOf({ name: packageName(at), ...choice })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(at, path)), { recursive: true })
    // Another process may write there at the same time: what is there stays.
    await writeFile(join(at, path), text, { flag: 'wx' })
    terminal.print(path)
  }
  const there = folder === '.' ? '' : `cd ${folder} && `
  terminal.say(`\nNext: ${there}npm install && npm start; README.md says the rest.`)
  return EXIT.ok
}

/** What an editor or git has put there does not count. */
async function refuseFull(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const visible = there.filter((name) => !name.startsWith('.'))
  if (visible.length > 0) {
    throw new UsageError(`${folder} is not empty: it has ${visible.slice(0, 3).join(', ')}`)
  }
}

/** A name that npm takes. */
function packageName(folder: string): string {
  const plain = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
  return plain.replaceAll(/^-+|-+$/g, '') || 'service'
}

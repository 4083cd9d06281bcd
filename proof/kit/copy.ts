import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The last commit in a folder of its own, with the packages of this tree and the workspaces of the copy. */
export async function withCopy<Result>(work: (copy: string) => Promise<Result>): Promise<Result> {
  const copy = await mkdtemp(join(tmpdir(), 'posthorn-seeded-'))
  try {
    await run('sh', ['-c', `git archive HEAD | tar -x -C '${copy}'`], { cwd: root })
    const [theirs, ours] = [join(root, 'node_modules'), join(copy, 'node_modules')]
    await mkdir(ours)
    for (const name of await readdir(theirs)) {
      if (name !== '@posthorn' && name !== '.cache')
        await symlink(join(theirs, name), join(ours, name))
    }
    // Links to the workspaces, relative to where they are.
    await cp(join(theirs, '@posthorn'), join(ours, '@posthorn'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    return await work(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** A line of a source that becomes another. */
export interface Change {
  readonly file: string
  readonly line: string
  readonly becomes: string
}

/** Makes changes in a copy; what is returned takes them back. */
export async function change(
  copy: string,
  changes: readonly Change[],
): Promise<() => Promise<void>> {
  const before = new Map<string, string>()
  for (const { file, line, becomes } of changes) {
    const path = join(copy, file)
    const source = await readFile(path, 'utf8')
    if (!source.includes(line)) throw new Error(`${file} has no line '${line}'`)
    before.set(path, source)
    await writeFile(
      path,
      source.replace(line, () => becomes),
    )
  }
  return async () => {
    for (const [path, source] of before) await writeFile(path, source)
  }
}

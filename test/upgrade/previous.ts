import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** The version before, as sources that run. */
export interface Previous {
  readonly commit: string
  readonly source: string
  /** Whether it goes on beside migrations that it does not know: versions before that do not. */
  readonly isTolerant: boolean
}

/** Unpacks the engine of the commit that `previous-version` names, with the packages of this one. */
export async function unpackPrevious(folder: string): Promise<Previous> {
  const file = new URL('previous-version', import.meta.url)
  const commit = (await readFile(file, 'utf8')).trim()
  const git = (...args: string[]) =>
    run('git', args, { cwd: root, encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 })
  await git('cat-file', '-e', `${commit}^{commit}`).catch((cause: unknown) => {
    const problem =
      `The commit ${commit}, which test/upgrade/previous-version names, is not in this clone. ` +
      'It needs the whole history: `git fetch --unshallow`.'
    throw new Error(problem, { cause })
  })
  const { stdout } = await git('archive', '--format=tar', commit, 'packages/engine')
  const archive = join(folder, 'previous.tar')
  const target = join(folder, 'previous')
  await mkdir(target)
  await writeFile(archive, stdout)
  await run('tar', ['-x', '-f', archive, '-C', target])
  await rm(archive)
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'))
  const source = join(target, 'packages/engine/src')
  const migrating = await readFile(join(source, 'maintain/migrate.ts'), 'utf8').catch(() => '')
  return { commit, source, isTolerant: migrating.includes('breaking') }
}

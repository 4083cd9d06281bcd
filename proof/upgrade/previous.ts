import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The version before, as sources that run. */
export interface Previous {
  readonly commit: string
  /** Its folder, as a checkout has it. */
  readonly root: string
  /** Of its packages. */
  readonly source: string
}

/** The commit of the last release, or of the last change of a baseline before the first one. */
export async function previousCommit(): Promise<string | undefined> {
  const file = new URL('previous-version', import.meta.url)
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() || undefined
}

const FOLDERS = ['packages', 'systems', 'apps']

/**
 * Unpacks a commit with the schema of the baselines or a later one, as sources that run, not as the packages that it
 * published. Packages of others (pg, Fastify, brokers' clients) are those of this version: what is shown
 * is that two versions of Posthorn share a database, not that two versions of their clients share a
 * broker. An `npm ci` of the old lock file would need a registry, and minutes, for every run.
 */
export async function unpackPrevious(commit: string, folder: string): Promise<Previous> {
  const git = (...args: string[]) =>
    run('git', args, { cwd: root, encoding: 'buffer', maxBuffer: 256 * 1024 * 1024 })
  await git('cat-file', '-e', `${commit}^{commit}`).catch((cause: unknown) => {
    const problem =
      `The commit ${commit} is not in this clone. ` +
      'It may need the whole history: `git fetch --unshallow`.'
    throw new Error(problem, { cause })
  })
  const { stdout } = await git('archive', '--format=tar', commit, ...FOLDERS)
  const archive = join(folder, 'previous.tar')
  const target = join(folder, 'previous')
  await mkdir(target)
  await writeFile(archive, stdout)
  await run('tar', ['-x', '-f', archive, '-C', target])
  await rm(archive)
  await linkPackages(target)
  const source = join(target, 'packages')
  return { commit, root: target, source }
}

/** Its own packages by links to its own folders, those of others to this version's. */
async function linkPackages(target: string): Promise<void> {
  const packages = join(target, 'node_modules')
  await mkdir(join(packages, '@posthorn'), { recursive: true })
  const own = new Set(['@posthorn'])
  for (const file of globSync('{packages/*,systems,systems/*,apps/*}/package.json', {
    cwd: target,
  })) {
    const { name } = JSON.parse(await readFile(join(target, file), 'utf8')) as { name: string }
    await symlink(join(target, dirname(file)), join(packages, name))
    own.add(name)
  }
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (own.has(name) || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(packages, name))
  }
}

import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
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
  /** Of its engine. */
  readonly source: string
  /** Whether it goes on beside migrations that it does not know: versions before that do not. */
  readonly isTolerant: boolean
  /** Lines of the ledger for what it does not do yet: what it did itself is missing in them. */
  readonly notKept: ReadonlySet<string>
}

/** Since which migration they hold. */
const KEPT_SINCE = {
  'delivered, by the counters of endpoints':
    'systems/payments/migrations/0010_endpoint_settings.sql',
  'orders complete, goods still reserved': 'systems/orders/migrations/0002_shipped_stock.sql',
}

const FOLDERS = ['packages', 'systems', 'apps']

/**
 * Unpacks the commit that `previous-version` names, as sources that run, not as the packages that it
 * published. Packages of others (pg, Fastify, brokers' clients) are those of this version: what is shown
 * is that two versions of Posthorn share a database, not that two versions of their clients share a
 * broker. An `npm ci` of the old lock file would need a registry, and minutes, for every run.
 */
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
  const { stdout } = await git('archive', '--format=tar', commit, ...FOLDERS)
  const archive = join(folder, 'previous.tar')
  const target = join(folder, 'previous')
  await mkdir(target)
  await writeFile(archive, stdout)
  await run('tar', ['-x', '-f', archive, '-C', target])
  await rm(archive)
  await linkPackages(target)
  const source = join(target, 'packages/engine/src')
  const migrating = await readFile(join(source, 'maintain/migrate.ts'), 'utf8').catch(() => '')
  const isMissing = ([, since]: [string, string]) => !existsSync(join(target, since))
  return {
    ...{ commit, root: target, source, isTolerant: migrating.includes('breaking') },
    notKept: new Set(
      Object.entries(KEPT_SINCE)
        .filter(isMissing)
        .map(([name]) => name),
    ),
  }
}

/** Packages of others by links to those of this version, and its own to its own. */
async function linkPackages(target: string): Promise<void> {
  const packages = join(target, 'node_modules')
  await mkdir(join(packages, '@posthorn'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name === '@posthorn' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(packages, name))
  }
  for (const file of globSync('{packages/*,systems,apps/*}/package.json', { cwd: target })) {
    const { name } = JSON.parse(await readFile(join(target, file), 'utf8')) as { name: string }
    await symlink(join(target, dirname(file)), join(packages, name))
  }
}

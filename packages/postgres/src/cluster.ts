import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { as, canReach, findClosedFolder, type Account } from './account.ts'
import { type Binaries, unreachable, type ServerFolder } from './binaries.ts'
import { PostgresServerError } from './errors.ts'
import { endProcessesIn } from './postmaster.ts'

export const SUPERUSER = 'postgres'

const UNFINISHED = 'unfinished-'
const CLUSTER = 'cluster'

/** The working folder of a process, reached without walking the folders above it. */
const OWN_WORKING_FOLDER = '/proc/self/cwd'

/** Who runs which programs on which folder. */
export interface Setting {
  readonly folder: ServerFolder
  readonly binaries: Binaries
  readonly account: Account | undefined
}

/** Makes the database cluster unless it is there; returns the superuser's password. */
export async function ensureCluster(setting: Setting): Promise<string> {
  const { folder, binaries } = setting
  const password = await readPassword(folder)
  const major = await clusterVersion(folder)
  if (major === undefined) return createCluster(setting, password ?? newPassword())
  if (major !== binaries.major) {
    const details = `${folder.data} needs version ${major}, this is ${binaries.major}.`
    throw new PostgresServerError('POSTGRES_FOLDER_VERSION', details)
  }
  if (password === undefined) {
    const details = `Put it back into ${folder.password}, or remove ${folder.data} to start empty.`
    throw new PostgresServerError('POSTGRES_PASSWORD_MISSING', details)
  }
  return password
}

/** The major version that made the cluster; undefined if there is none. */
export async function clusterVersion(folder: ServerFolder): Promise<string | undefined> {
  const text = await readFile(join(folder.data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text?.trim()
}

async function readPassword(folder: ServerFolder): Promise<string | undefined> {
  try {
    // A starter killed between making the file and writing it leaves it empty.
    return (await readFile(folder.password, 'utf8')).trim() || undefined
  } catch (error) {
    const refusal = unreachable(folder.path, error)
    if (refusal !== error) throw refusal
    return undefined
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Made under another name and renamed when whole: a kill leaves no half-made database. */
async function createCluster(setting: Setting, password: string): Promise<string> {
  const { folder, account } = setting
  await sweepUnfinished(folder)
  // A name of its own each time: where no /proc tells of it, the initdb of a starter that was killed
  // may still be writing.
  const unfinished = join(folder.path, `${UNFINISHED}${randomUUID()}`)
  const cluster = join(unfinished, CLUSTER)
  // initdb reads the password as the server's account; it gets a copy that goes away with this.
  const copy = join(unfinished, 'password')
  await writeFile(folder.password, `${password}\n`, { mode: 0o600, flush: true })
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  await writeFile(copy, `${password}\n`, { mode: 0o600 })
  if (account !== undefined) {
    for (const path of [unfinished, cluster, copy]) await chown(path, account.uid, account.gid)
  }
  await initdb(setting, cluster)
  await rename(cluster, folder.data)
  await syncFolder(folder.path)
  await sweepUnfinished(folder)
  return password
}

/** What starters that were killed have left: their initdb outlives them and would write on. */
async function sweepUnfinished(folder: ServerFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (!name.startsWith(UNFINISHED)) continue
    const unfinished = join(folder.path, name)
    await endProcessesIn(join(unfinished, CLUSTER))
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The server makes its data survive a power cut; this does it for the names that lead there. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The same order on every system, and no surprise after an update of its libc. */
const BUILTIN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']

async function initdb({ binaries, account }: Setting, cluster: string): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      `--pgdata=${seenBy(account, cluster)}`,
      `--username=${SUPERUSER}`,
      '--pwfile=../password',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...(Number(binaries.major) >= 17 ? BUILTIN_LOCALE : []),
      '--locale=C',
      '--data-checksums',
    ],
    { ...as(account), cwd: cluster, env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output: string[] = []
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const failure = await new Promise<Error | number | null>((resolve) => {
    child.once('error', resolve)
    child.once('close', resolve)
  })
  if (failure === 0) return
  const said = failure instanceof Error ? failure.message : output.join('').trim()
  throw new PostgresServerError('POSTGRES_INIT_FAILED', said, { cause: failure })
}

/**
 * The name by which the account's processes know a folder they were started in. If a folder above
 * is closed to them (as /root is), Linux still has a name that leads there directly.
 */
export function seenBy(account: Account | undefined, path: string): string {
  if (account === undefined || canReach(account, path)) return path
  if (process.platform === 'linux' && canReach(undefined, OWN_WORKING_FOLDER)) {
    return OWN_WORKING_FOLDER
  }
  const closed = findClosedFolder(account, path)
  const details =
    `Root must not run PostgreSQL, and account ${account.name} is stopped at ${closed}: ` +
    `choose a folder outside of it, or open the way with chmod o+x ${closed}.`
  throw new PostgresServerError('POSTGRES_FOLDER_UNREACHABLE', details)
}

/** Nothing of ours: PGPORT or LC_ALL of a shell would change what the server does. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
}

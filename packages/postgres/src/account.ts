import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PostgresServerError } from './errors.ts'

/** An account of the system that runs the server in our place. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * Who runs the server: undefined means this process's own user. PostgreSQL refuses to run as
 * root, so for root it is the owner of the data if there is any, else `postgres`, else `nobody`.
 * No account is created: a library has no business in /etc/passwd.
 */
export async function serverAccount(data: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const accounts = await systemAccounts()
  const owner = await stat(data).then(
    (found) => found.uid,
    () => 0,
  )
  const account =
    (owner === 0 ? undefined : accounts.find(({ uid }) => uid === owner)) ??
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody')
  if (account !== undefined) return account
  const remedy = 'Add one with `useradd --system postgres`, or start as an ordinary user.'
  throw new PostgresServerError('POSTGRES_NO_ACCOUNT', remedy)
}

/**
 * Whether the account gets to the path. Asked of the system itself: mode bits alone know nothing
 * of access lists, read-only mounts and user namespaces.
 */
export function canReach(account: Account | undefined, path: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], as(account)).status === 0
}

/** The outermost folder on the way to the path that is closed to the account. */
export function findClosedFolder(account: Account | undefined, path: string): string {
  const parents = [path]
  for (let at = path; at !== dirname(at); at = dirname(at)) parents.unshift(dirname(at))
  return parents.find((parent) => !canReach(account, parent)) ?? path
}

/** The options that make a child process run as the account. */
export function as(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid }
}

async function systemAccounts(): Promise<Account[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4 && Number(fields[2]) !== 0)
    .map((fields) => ({ name: String(fields[0]), uid: Number(fields[2]), gid: Number(fields[3]) }))
}

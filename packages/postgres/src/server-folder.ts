import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PostgresServerError, systemCode } from './errors.ts'

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

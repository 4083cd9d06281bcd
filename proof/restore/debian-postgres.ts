import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensurePatroni } from '../../scripts/services/index.mjs'
import { createDatabase, onClient } from '../kit/database.ts'
import { startProgram, type Program } from '../kit/servers/program.ts'
import { waitFor } from '../kit/waiting.ts'

const run = promisify(execFile)
const HOST = '127.0.0.1'
const DATABASE = 'posthorn'
const START_MS = 60_000

/** PostgreSQL of Debian's packages: unlike the embedded one it has `pg_dump` and `pg_restore`. */
export interface DebianPostgres {
  readonly version: string
  /** A cluster of its own, with an empty database; it does not run yet. */
  create(name: string): Promise<DebianCluster>
  dump(url: string, options: { readonly file: string; readonly snapshot: string }): Promise<void>
  /** All or nothing: the first error ends it. */
  restore(url: string, file: string): Promise<void>
}

export interface DebianCluster {
  start(port: number): Promise<string>
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
}

export async function findDebianPostgres(
  folder: string,
  signal: AbortSignal,
): Promise<DebianPostgres> {
  const { binaries, env, account, versions } = await ensurePatroni()
  // Of all clusters: one takes the address of another.
  const password = randomBytes(16).toString('hex')
  const programEnv = { PATH: process.env['PATH'] ?? '', ...env }
  const call = (name: string, args: readonly string[], as: object = {}) =>
    run(join(binaries, name), args, { env: programEnv, cwd: folder, ...as })
  return {
    version: /PostgreSQL [\d.]+/.exec(versions)?.[0] ?? versions,
    async create(name) {
      const home = join(folder, name)
      await mkdir(home)
      const passwordFile = join(home, 'password')
      await writeFile(passwordFile, password, { mode: 0o600 })
      if (account.uid !== undefined) {
        for (const each of [home, passwordFile]) {
          await chown(each, account.uid, account.gid ?? account.uid)
        }
      }
      const data = join(home, 'data')
      const made = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
      const text = ['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
      await call('initdb', [`--pgdata=${data}`, ...made, ...text], account)
      let program: Program | undefined
      let hasDatabase = false
      return {
        async start(port) {
          const settings = {
            ...{ listen_addresses: HOST, port, unix_socket_directories: '', max_connections: 200 },
            // Only processes are killed, never the machine: what the kernel has taken is not lost.
            fsync: 'off',
          }
          program = startProgram({
            command: join(binaries, 'postgres'),
            args: [
              '-D',
              data,
              ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
            ],
            env,
            logFile: join(folder, `postgres-${name}.log`),
            cwd: home,
            ...account,
          })
          const url = (database: string) =>
            `postgresql://postgres:${password}@${HOST}:${port}/${database}`
          const isUp = async () => {
            await onClient(url('postgres'), (client) => client.query('select'))
            return true
          }
          await waitFor(`PostgreSQL ${name}`, isUp, { withinMs: START_MS, signal })
          if (!hasDatabase) await createDatabase(url('postgres'), DATABASE)
          hasDatabase = true
          return url(DATABASE)
        },
        stop: async () => program?.stop(),
        kill: async () => program?.kill(),
      }
    },
    async dump(url, { file, snapshot }) {
      const options = ['--format=custom', `--snapshot=${snapshot}`, `--file=${file}`]
      await call('pg_dump', [...options, `--dbname=${url}`])
    },
    async restore(url, file) {
      await call('pg_restore', ['--exit-on-error', `--dbname=${url}`, file])
    },
  }
}

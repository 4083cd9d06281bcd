import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openPostgres, type Postgres, type ServerSettings } from '@posthorn/postgres'
import { onClient } from '../kit/database.ts'
import { backupStart, backupStop, isRecovering, restorePoint, switchWal } from './queries.ts'

const run = promisify(execFile)

/** A folder that the server's account may write to, and its log goes to. */
export async function makeArchive(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-archive-'))
  await chmod(folder, 0o777)
  return folder
}

/** What makes a server keep all of its log for a recovery. */
export function archiving(archive: string): ServerSettings {
  return {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    fsync: 'off',
    max_connections: 200,
  }
}

/** Copies the files of a running server, as every tool for base backups does. */
export async function takeBaseBackup(url: string, folder: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'posthorn-restored-'))
  await chmod(copy, 0o755)
  await onClient(url, async (client) => {
    await client.query(backupStart)
    // Files come and go under a running server; what is missing is in the log.
    await run('cp', ['-a', join(folder, 'data'), copy]).catch(() => undefined)
    const { rows } = await client.query<{ labelfile: string }>(backupStop)
    await writeFile(join(copy, 'data/backup_label'), rows[0]?.labelfile ?? '')
  })
  for (const file of ['password', 'port']) await run('cp', ['-a', join(folder, file), copy])
  const log = join(copy, 'data/pg_wal')
  for (const each of await readdir(log)) await rm(join(log, each), { recursive: true })
  await mkdir(join(log, 'archive_status'))
  await rm(join(copy, 'data/postmaster.pid'), { force: true })
  await writeFile(join(copy, 'data/recovery.signal'), '')
  await run('chown', ['-R', '--reference', join(copy, 'data'), join(copy, 'data')])
  return copy
}

/** Names a moment to come back to, and waits until the log of it is in the archive. */
export async function markPoint(url: string, name: string, archive: string): Promise<void> {
  await onClient(url, async (client) => {
    const { rows } = await client.query<{ file: string }>(restorePoint, [name])
    await client.query(switchWal)
    while (!(await readdir(archive)).includes(rows[0]?.file ?? '')) await sleep(100)
  })
}

/** Starts the copy, on the port and with the password of the first, as it was at the moment. */
export async function recover(copy: string, name: string, archive: string): Promise<Postgres> {
  const postgres = await openPostgres({
    folder: copy,
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: name,
      recovery_target_action: 'promote',
      fsync: 'off',
      max_connections: 200,
    },
  })
  await onClient(postgres.url, async (client) => {
    while ((await client.query<{ is: boolean }>(isRecovering)).rows[0]?.is) await sleep(100)
  })
  return postgres
}

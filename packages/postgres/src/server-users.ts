import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMarkAlive, processMark } from './process-mark.ts'

/** Writes this process down as a user of the server; the result takes it off again. */
export async function registerUser(users: string): Promise<() => Promise<void>> {
  const file = join(users, `${process.pid}-${randomUUID()}`)
  await writeFile(file, processMark(process.pid))
  return () => rm(file, { force: true })
}

/** How many users live; those whose process is gone are swept away. To be called under the lock. */
export async function countUsers(users: string): Promise<number> {
  let living = 0
  for (const name of await readdir(users)) {
    const file = join(users, name)
    if (isMarkAlive(await readFile(file, 'utf8').catch(() => ''))) living += 1
    else await rm(file, { force: true })
  }
  return living
}

import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type SecretName = 'jwt-secret' | 'encryption-key'

/**
 * A secret of development: made once and kept in the data folder, readable by its owner alone, so
 * that tokens outlive a restart and all processes on the folder agree.
 */
export async function developmentSecret(dataFolder: string, name: SecretName): Promise<string> {
  const file = join(dataFolder, name)
  const known = await readSecret(file)
  if (known !== undefined) return known
  await mkdir(dataFolder, { recursive: true })
  // Of this caller alone: processes in containers have the same id.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    // Linking is all or nothing: of two processes at once one wins, and both read its secret.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

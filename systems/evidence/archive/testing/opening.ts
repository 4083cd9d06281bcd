import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { folderStorage } from '../../storage/folder.ts'
import type { Archive, OpenedArchive } from '../archive.ts'
import { DEFAULT_LIMITS, type ArchiveLimits } from '../limits.ts'
import { openArchive } from '../open.ts'

export const CSV = { name: 'rows.csv', data: 'case_id,evidence_files\nc-1,a.pdf\n' }
export const PDF = '%PDF-1.7 an invoice'

export interface Opening {
  /** Opens the bytes as an archive of a storage. */
  open(bytes: Buffer, limits?: Partial<ArchiveLimits>): Promise<OpenedArchive>
  /** The same for archives that must be good; they are closed after the file's tests. */
  openZip(bytes: Buffer, limits?: Partial<ArchiveLimits>): Promise<Archive>
}

/** Archives in a folder of their own, for one test file. */
export function useOpening(): Opening {
  const archives: Archive[] = []
  let folder = ''
  let count = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthorn-archives-'))
  })
  afterAll(async () => {
    await Promise.all(archives.map((archive) => archive.close()))
    await rm(folder, { recursive: true })
  })

  const open: Opening['open'] = async (bytes, limits) => {
    count += 1
    const key = `${count}.zip`
    await writeFile(join(folder, key), bytes)
    const storage = folderStorage(folder)
    const result = await openArchive({ storage, key }, { ...DEFAULT_LIMITS, ...limits })
    if (result.kind === 'opened') archives.push(result.archive)
    return result
  }
  return {
    open,
    async openZip(bytes, limits) {
      const result = await open(bytes, limits)
      if (result.kind === 'opened') return result.archive
      return expect.fail(`${result.reason}: ${result.detail}`)
    },
  }
}

import { tmpdir } from 'node:os'
import type { Readable } from 'node:stream'
import { SpoolFile } from '@posthorn/bulk/spool'
import type { ArchiveSource } from './archive.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRejected } from './reasons.ts'

/** How ZIP files begin: with an entry, or with their end if they have none. */
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006']

/**
 * Copies an archive to a local file, by one request however many entries it has, and all of it from
 * the same version.
 */
export async function spoolArchive(
  source: ArchiveSource,
  limits: ArchiveLimits,
): Promise<SpoolFile> {
  const { storage, key, version, signal } = source
  const options = { ...(version !== undefined && { version }), ...(signal && { signal }) }
  // The file first: a stream that fails before it has a reader would end the process.
  const spool = await SpoolFile.create(source.spoolFolder ?? tmpdir())
  let bytes: Readable | undefined
  try {
    bytes = await storage.read(key, options)
    await copy(bytes, spool, limits.zipBytes)
    return spool
  } catch (error) {
    await spool.close()
    throw error
  } finally {
    bytes?.destroy()
  }
}

async function copy(bytes: Readable, spool: SpoolFile, maxBytes: number): Promise<void> {
  let beginning = ''
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    if (beginning.length < 4) {
      beginning += piece.toString('latin1', 0, 4 - beginning.length)
      checkBeginning(beginning)
    }
    if (spool.size + piece.length > maxBytes) throw tooLarge(maxBytes)
    await spool.append(piece)
  }
  if (beginning.length < 4) {
    throw new ArchiveRejected('NOT_A_ZIP', `The file has ${spool.size} bytes.`)
  }
}

function checkBeginning(beginning: string): void {
  if (BEGINNINGS.some((known) => known.startsWith(beginning))) return
  throw new ArchiveRejected('NOT_A_ZIP', 'The file does not begin as a ZIP archive does.')
}

export function tooLarge(maxBytes: number): ArchiveRejected {
  return new ArchiveRejected('TOO_LARGE', `The archive has more than ${maxBytes} bytes.`)
}

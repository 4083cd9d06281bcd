import type { SpoolFile } from '@posthorn/bulk/spool'
import { Readable } from 'node:stream'
import type { EvidenceStream } from './archive.ts'
import { DamagedEntry, unpack } from './entry-stream.ts'
import { showName } from './entry-name.ts'
import type { PlacedEntry } from './layout.ts'
import type { ArchiveLimits } from './limits.ts'
import { TELLING_BYTES, evidenceType } from './magic.ts'
import { BadFileError } from './reasons.ts'

/** Opens one evidence file: its first bytes are checked here, the rest at its end. */
export async function readEvidence(
  spool: SpoolFile,
  entry: PlacedEntry,
  { fileBytes }: ArchiveLimits,
): Promise<EvidenceStream> {
  const { name, size } = entry
  if (size === 0) throw new BadFileError('FILE_EMPTY', `${showName(name)} is empty.`)
  if (size > fileBytes) {
    const detail = `${showName(name)} has ${size} bytes; ${fileBytes} are allowed.`
    throw new BadFileError('FILE_TOO_LARGE', detail)
  }
  const pieces = withFileFaults(unpack(spool, entry), name)[Symbol.asyncIterator]()
  const first = await firstPieces(pieces)
  const contentType = evidenceType(first)
  if (contentType === undefined) {
    await pieces.return?.()
    throw new BadFileError('FILE_TYPE', `${showName(name)} is no PDF, JPEG, PNG or TIFF.`)
  }
  const stream = Readable.from(joinBytes(first, pieces), { objectMode: false })
  return Object.assign(stream, { contentType, size })
}

async function firstPieces(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let first = Buffer.alloc(0)
  while (first.length < TELLING_BYTES) {
    const { done, value } = await pieces.next()
    if (done) break
    first = Buffer.concat([first, value])
  }
  return first
}

async function* joinBytes(first: Buffer, rest: AsyncIterator<Buffer>): AsyncIterable<Buffer> {
  try {
    yield first
    while (true) {
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  } finally {
    await rest.return?.()
  }
}

async function* withFileFaults(pieces: AsyncIterable<Buffer>, name: string): AsyncIterable<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    if (!(error instanceof DamagedEntry)) throw error
    throw new BadFileError('FILE_DAMAGED', `${showName(name)} is damaged. ${error.message}`, {
      cause: error,
    })
  }
}

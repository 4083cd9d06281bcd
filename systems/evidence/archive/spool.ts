import { randomUUID } from 'node:crypto'
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ArchiveSource } from './archive.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRejected } from './reasons.ts'

/** The bytes of an archive, near at hand. */
export interface Spool {
  readonly size: number
  /** So many bytes from there, fewer at the end of the file. */
  read(position: number, length: number): Promise<Buffer>
  /** The bytes from `start` up to `end`, piece by piece. */
  stream(start: number, end: number): AsyncIterable<Buffer>
  close(): Promise<void>
}

const PIECE_BYTES = 65_536

/** How ZIP files begin: with an entry, or with their end if they have none. */
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006']

/**
 * Copies an archive to a local file, by one request however many entries it has, and all of it from
 * the same version. The file has no name from its first byte on: a process that dies leaves nothing.
 */
export async function spoolArchive(source: ArchiveSource, limits: ArchiveLimits): Promise<Spool> {
  const { storage, key, version, signal } = source
  const options = { ...(version !== undefined && { version }), ...(signal && { signal }) }
  // The file first: a stream that fails before it has a reader would end the process.
  const file = await namelessFile(source.spoolFolder ?? tmpdir())
  let bytes: Readable | undefined
  try {
    bytes = await storage.read(key, options)
    const size = await copy(bytes, file, limits.zipBytes)
    return spoolOf(file, size)
  } catch (error) {
    await file.close()
    throw error
  } finally {
    bytes?.destroy()
  }
}

async function namelessFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `posthorn-archive-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function copy(bytes: Readable, file: FileHandle, maxBytes: number): Promise<number> {
  let size = 0
  let beginning = ''
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    if (beginning.length < 4) {
      beginning += piece.toString('latin1', 0, 4 - beginning.length)
      checkBeginning(beginning)
    }
    if (size + piece.length > maxBytes) throw tooLarge(maxBytes)
    await writeAll(file, piece, size)
    size += piece.length
  }
  if (beginning.length < 4) throw new ArchiveRejected('NOT_A_ZIP', `The file has ${size} bytes.`)
  return size
}

function checkBeginning(beginning: string): void {
  if (BEGINNINGS.some((known) => known.startsWith(beginning))) return
  throw new ArchiveRejected('NOT_A_ZIP', 'The file does not begin as a ZIP archive does.')
}

export function tooLarge(maxBytes: number): ArchiveRejected {
  return new ArchiveRejected('TOO_LARGE', `The archive has more than ${maxBytes} bytes.`)
}

async function writeAll(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < piece.length) {
    const rest = piece.subarray(written)
    const { bytesWritten } = await file.write(rest, 0, rest.length, position + written)
    written += bytesWritten
  }
}

function spoolOf(file: FileHandle, size: number): Spool {
  const read = async (position: number, length: number) => {
    const wanted = Math.max(0, Math.min(length, size - position))
    const buffer = Buffer.allocUnsafe(wanted)
    let filled = 0
    while (filled < wanted) {
      const { bytesRead } = await file.read(buffer, filled, wanted - filled, position + filled)
      if (bytesRead === 0) throw new Error('the local copy of the archive lost its end')
      filled += bytesRead
    }
    return buffer
  }
  return {
    size,
    read,
    async *stream(start, end) {
      for (let position = start; position < end; position += PIECE_BYTES) {
        yield await read(position, Math.min(PIECE_BYTES, end - position))
      }
    },
    close: () => file.close(),
  }
}

import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { BEGINNING_BYTES } from '../formats/format.ts'
import type { FileBody } from './body.ts'
import { problem } from './problems.ts'

/** A client's file on the local disk, whole. */
export interface SpooledFile {
  readonly bytes: number
  /** SHA-256. */
  readonly hash: Buffer
  /** Its first bytes. */
  readonly beginning: Buffer
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

export interface SpoolOptions {
  readonly folder: string
  /** Called once with the first bytes: throws if the rest need not come. */
  check(beginning: Buffer): void
  /** Called with the number of bytes after each piece. */
  received(bytes: number): void
}

const PREFIX = 'posthorn-statement-'
const PIECE_BYTES = 65_536
/** A name that is older was left by a process that died between two calls. */
const LEFT_OVER_MS = 3_600_000
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Copies a file to the local disk at the client's pace, so that the database is only busy once all of
 * it is here. The copy loses its name before its first byte: a process that dies leaves nothing.
 */
export async function spoolFile(body: FileBody, options: SpoolOptions): Promise<SpooledFile> {
  const file = await namelessFile(options.folder)
  try {
    const beginning = await copy(body, file, options)
    return {
      bytes: body.bytes,
      hash: body.digest(),
      beginning,
      read: () => readFile(file, body.bytes),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || !NO_ROOM.has(code)) throw error
    throw problem('NO_ROOM_FOR_FILE', { retryAfterSeconds: 60, cause: error })
  }
}

/** Removes what was left in a folder by processes that died; never throws. */
export async function sweepSpool(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || Date.now() - found.mtimeMs < LEFT_OVER_MS) continue
    await unlink(path).catch(() => undefined)
  }
}

async function namelessFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${PREFIX}${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function copy(
  body: FileBody,
  file: FileHandle,
  { check, received }: SpoolOptions,
): Promise<Buffer> {
  let beginning: Buffer = Buffer.alloc(0)
  let isChecked = false
  let size = 0
  for await (const piece of body) {
    if (beginning.length < BEGINNING_BYTES) {
      beginning = Buffer.concat([beginning, piece]).subarray(0, BEGINNING_BYTES)
    }
    if (!isChecked && beginning.length >= 4) {
      isChecked = true
      check(beginning)
    }
    await writeAll(file, piece, size)
    size += piece.length
    received(size)
  }
  return beginning
}

async function writeAll(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  let written = 0
  while (written < piece.length) {
    const { bytesWritten } = await file.write(
      piece,
      written,
      piece.length - written,
      position + written,
    )
    written += bytesWritten
  }
}

async function* readFile(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let position = 0
  while (position < size) {
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - position))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw new Error('the local copy of a statement lost its end')
    position += bytesRead
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead)
  }
}

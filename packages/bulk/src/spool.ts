import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = 'posthorn-spooled-'
const PIECE_BYTES = 64 * 1024
const LF = 0x0a
/** A name that is older was left by a process that died between two calls. */
const LEFT_OVER_MS = 3_600_000

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

/**
 * A file on the local disk that loses its name before its first byte: when the process dies, nothing
 * of it is left.
 */
export class SpoolFile {
  readonly #file: FileHandle
  #size = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Makes the folder if it is not there. */
  static async create(folder: string): Promise<SpoolFile> {
    await mkdir(folder, { recursive: true })
    const path = join(folder, `${PREFIX}${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return new SpoolFile(file)
  }

  get size(): number {
    return this.#size
  }

  /** Resolves once the bytes are written; they may be changed then. */
  async append(bytes: Uint8Array): Promise<void> {
    let written = 0
    while (written < bytes.length) {
      const left = bytes.length - written
      const { bytesWritten } = await this.#file.write(bytes, written, left, this.#size + written)
      written += bytesWritten
    }
    this.#size += bytes.length
  }

  /** So many bytes from there, fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#size - position)))
    let filled = 0
    while (filled < buffer.length) filled += await this.#fill(buffer, filled, position + filled)
    return buffer
  }

  /** The bytes from `start` up to `end`, piece by piece. */
  async *stream(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end; position += PIECE_BYTES) {
      yield await this.read(position, Math.min(PIECE_BYTES, end - position))
    }
  }

  /**
   * A file of lines, some at a time; each has less than 64 KiB. As text and by one buffer: of bytes,
   * which are outside of the heap, as much as the whole file would wait to be collected.
   */
  async *lines(): AsyncGenerator<string> {
    const buffer = Buffer.alloc(PIECE_BYTES)
    let kept = 0
    for (let position = 0; position < this.#size;) {
      const bytesRead = await this.#fill(buffer, kept, position)
      position += bytesRead
      const filled = kept + bytesRead
      const end = buffer.lastIndexOf(LF, filled - 1) + 1
      yield buffer.toString('utf8', 0, end)
      buffer.copyWithin(0, end, filled)
      kept = filled - end
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  /** Reads into a buffer from an offset on; gives how much, at least a byte. */
  async #fill(buffer: Buffer, offset: number, position: number): Promise<number> {
    const { bytesRead } = await this.#file.read(buffer, offset, buffer.length - offset, position)
    if (bytesRead === 0) throw new Error('a file on the local disk lost its end')
    return bytesRead
  }
}

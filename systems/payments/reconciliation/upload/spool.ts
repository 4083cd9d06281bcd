import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from './problems.ts'

const PREFIX = 'posthorn-statement-'
/** Many lines of COPY: each has less than 2 KB. */
const PIECE_BYTES = 65_536
const LF = 0x0a
/** A name that is older was left by a process that died between two calls. */
const LEFT_OVER_MS = 3_600_000
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

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

/** A file on the local disk that has lost its name before its first byte: whatever dies leaves nothing. */
export class Spool {
  readonly #file: FileHandle
  #size = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true })
    const path = join(folder, `${PREFIX}${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return new Spool(file)
  }

  async append(bytes: Uint8Array): Promise<void> {
    let written = 0
    while (written < bytes.length) {
      const left = bytes.length - written
      const { bytesWritten } = await this.#file
        .write(bytes, written, left, this.#size + written)
        .catch(explainNoRoom)
      written += bytesWritten
    }
    this.#size += bytes.length
  }

  /**
   * All of it, some lines at a time. As text and by one buffer: of bytes, which are outside of the heap,
   * as much as the whole file would wait to be collected.
   */
  async *read(): AsyncGenerator<string> {
    const buffer = Buffer.alloc(PIECE_BYTES)
    let kept = 0
    for (let position = 0; position < this.#size;) {
      const { bytesRead } = await this.#file.read(buffer, kept, PIECE_BYTES - kept, position)
      if (bytesRead === 0) throw new Error('the local copy of a statement lost its end')
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
}

function explainNoRoom(error: NodeJS.ErrnoException): never {
  if (error.code === undefined || !NO_ROOM.has(error.code)) throw error
  throw problem('NO_ROOM_FOR_FILE', { retryAfterSeconds: 60, cause: error })
}

import { createHash } from 'node:crypto'

export interface MultipartFile {
  /** The field it was sent as. */
  readonly field: string
  readonly name: string
  readonly type: string
  readonly size: number
  readonly sha256: string
}

/** A `multipart/form-data` body as a simulator's handler gets it: of files no bytes are kept. */
export interface Multipart {
  /** A field that was sent several times has a list. */
  readonly fields: Readonly<Record<string, string | string[]>>
  readonly files: readonly MultipartFile[]
}

/** Bounds of what is held in memory: files are only hashed, so that they may have any size. */
const MOST_PARTS = 10_000
const MOST_HEADER_BYTES = 16 * 1024
const MOST_FIELD_BYTES = 1024 * 1024

const CRLF = '\r\n'
const HEADERS_END = '\r\n\r\n'

interface Part {
  take(bytes: Buffer): void
  end(): void
}

/*
 *   between ──delimiter──▶ delimited ──line end──▶ headers ──empty line──▶ content
 *                              │                                              │
 *                              │ "--"                     ◀────delimiter──────┘
 *                              ▼
 *                            ended (what follows says nothing)
 */
type State = 'between' | 'delimited' | 'headers' | 'content' | 'ended'

/** Parses a body as it comes in, chunk by chunk. Only the end says whether it was malformed. */
export class MultipartParser {
  readonly #delimiter: Buffer
  readonly #fields = new Map<string, string[]>()
  readonly #files: MultipartFile[] = []
  // The first delimiter has no line end before it; the others have, and it is not content.
  #rest: Buffer = Buffer.from(CRLF)
  #state: State = 'between'
  #part: Part | undefined
  #parts = 0
  #fieldBytes = 0
  #malformed: SyntaxError | undefined

  constructor(contentType: string) {
    const boundary = parameterOf(contentType, 'boundary') ?? ''
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`)
    if (!boundary) this.#malformed = new SyntaxError('The content type has no boundary.')
  }

  write(chunk: Buffer): void {
    if (this.#malformed !== undefined) return
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    try {
      while (this.#step());
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.#malformed = error
    }
  }

  /** What came; throws if that was no form. */
  end(): Multipart {
    if (this.#malformed !== undefined) throw this.#malformed
    if (this.#state !== 'ended') throw new SyntaxError('The last delimiter is missing.')
    const fields = this.#fields
      .entries()
      .map(([name, values]) => [name, values.length === 1 ? String(values[0]) : values] as const)
    return { fields: Object.fromEntries(fields), files: this.#files }
  }

  /** Goes on as far as the next change of state; false if more bytes are needed for it. */
  #step(): boolean {
    switch (this.#state) {
      case 'between':
      case 'content':
        return this.#skipContent()
      case 'delimited':
        return this.#afterDelimiter()
      case 'headers':
        return this.#readHeaders()
      case 'ended':
        this.#rest = Buffer.alloc(0)
        return false
    }
  }

  #skipContent(): boolean {
    const at = this.#rest.indexOf(this.#delimiter)
    if (at < 0) {
      // The end may be the start of a delimiter whose other half is still to come.
      const sure = this.#rest.length - this.#delimiter.length + 1
      if (sure > 0) this.#take(sure)
      return false
    }
    this.#take(at)
    this.#part?.end()
    this.#part = undefined
    this.#cut(this.#delimiter.length)
    this.#state = 'delimited'
    return true
  }

  #afterDelimiter(): boolean {
    if (this.#rest.length < 2) return false
    if (this.#rest.toString('latin1', 0, 2) === '--') {
      this.#state = 'ended'
      return true
    }
    const line = this.#cutLine(CRLF)
    if (line === undefined) return false
    if (line.trim() !== '') throw new SyntaxError('A delimiter is followed by text on its line.')
    this.#state = 'headers'
    return true
  }

  #readHeaders(): boolean {
    const headers = this.#cutLine(HEADERS_END)
    if (headers === undefined) return false
    this.#parts += 1
    if (this.#parts > MOST_PARTS) throw new SyntaxError(`There are over ${MOST_PARTS} parts.`)
    this.#part = this.#open(headers)
    this.#state = 'content'
    return true
  }

  #open(headers: string): Part {
    const disposition = headerOf(headers, 'content-disposition')
    const field = parameterOf(disposition, 'name')
    if (!/^form-data\b/i.test(disposition) || field === undefined) {
      throw new SyntaxError('A part has no name.')
    }
    const name = parameterOf(disposition, 'filename')
    if (name === undefined) return this.#field(field)
    const type = headerOf(headers, 'content-type') || 'application/octet-stream'
    return this.#file({ field, name, type })
  }

  #field(name: string): Part {
    const chunks: Buffer[] = []
    return {
      take: (bytes) => {
        this.#fieldBytes += bytes.length
        if (this.#fieldBytes > MOST_FIELD_BYTES) throw new SyntaxError('The fields are too large.')
        chunks.push(bytes)
      },
      end: () => {
        const value = Buffer.concat(chunks).toString()
        const earlier = this.#fields.get(name)
        if (earlier) earlier.push(value)
        else this.#fields.set(name, [value])
      },
    }
  }

  #file(file: Pick<MultipartFile, 'field' | 'name' | 'type'>): Part {
    const hash = createHash('sha256')
    let size = 0
    return {
      take(bytes) {
        size += bytes.length
        hash.update(bytes)
      },
      end: () => void this.#files.push({ ...file, size, sha256: hash.digest('hex') }),
    }
  }

  /** Into the part; before the first there is none, and the bytes go nowhere. */
  #take(length: number): void {
    const bytes = this.#cut(length)
    this.#part?.take(bytes)
  }

  #cut(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }

  /** The text before `end`, which is cut off too; undefined if it is not there yet. */
  #cutLine(end: string): string | undefined {
    const at = this.#rest.indexOf(end)
    if (at > MOST_HEADER_BYTES || (at < 0 && this.#rest.length > MOST_HEADER_BYTES)) {
      throw new SyntaxError('The headers of a part are too large.')
    }
    if (at < 0) return undefined
    const text = this.#cut(at).toString()
    this.#cut(end.length)
    return text
  }
}

function headerOf(headers: string, name: string): string {
  const lines = headers.split(CRLF).map((line) => line.split(/:(.*)/s))
  return lines.find(([key]) => key?.trim().toLowerCase() === name)?.[1]?.trim() ?? ''
}

/** A parameter of a header, with what browsers and curl write for quotes and line ends. */
function parameterOf(header: string, name: string): string | undefined {
  const pattern = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]+))`, 'i')
  const match = pattern.exec(header)
  if (!match) return undefined
  return (match[1] ?? match[2] ?? '').replace(
    /\\"|%22|%0D|%0A/gi,
    (text) => UNESCAPED[text] ?? text,
  )
}

const UNESCAPED: Readonly<Record<string, string>> = {
  '\\"': '"',
  '%22': '"',
  '%0D': '\r',
  '%0d': '\r',
  '%0A': '\n',
  '%0a': '\n',
}

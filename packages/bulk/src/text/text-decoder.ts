import { isUtf8 } from 'node:buffer'

export type TextEncoding = 'utf-8' | 'windows-1252'

/** Why bytes are no text, and the text before the place where that is. */
export class NotText extends Error {
  readonly kind: 'encoding' | 'binary'
  readonly before: string

  constructor(kind: 'encoding' | 'binary', reason: string, before: string) {
    super(reason)
    this.name = 'NotText'
    this.kind = kind
    this.before = before
  }
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
const EMPTY = Buffer.alloc(0)

/** Bytes to text, piece by piece and strictly: nothing is replaced, nothing guessed. */
export interface PieceDecoder {
  decode(bytes: Buffer): string
  /** What is left; throws if a character is cut off. */
  end(): string
}

/** The bytes of a text, checked piece by piece: whole characters only, and no mark before them. */
export interface PieceChecker {
  check(bytes: Buffer): Buffer
  /** What is left; throws if a character is cut off. */
  end(): Buffer
}

/**
 * Refuses UTF-16 and binary files by their NULs. Node's own decoder would do for UTF-8, but does not
 * say where a file is wrong.
 */
export function pieceChecker(encoding: TextEncoding): PieceChecker {
  const isUnicode = encoding === 'utf-8'
  let rest: Buffer = EMPTY
  let isFirst = true
  const checked = (bytes: Buffer): Buffer => {
    const nul = bytes.indexOf(0)
    if (nul >= 0) throw binary(bytes, nul)
    if (isUnicode && !isUtf8(bytes)) throw notUtf8(bytes)
    return bytes
  }
  return {
    check(bytes) {
      let whole = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      if (isFirst) {
        // The marks are up to three bytes.
        if (whole.length < 3) {
          rest = Buffer.from(whole)
          return EMPTY
        }
        isFirst = false
        whole = withoutMark(whole, encoding)
      }
      const end = isUnicode ? wholeCharacters(whole) : whole.length
      rest = end === whole.length ? EMPTY : Buffer.from(whole.subarray(end))
      return checked(end === whole.length ? whole : whole.subarray(0, end))
    },
    end: () => checked(isFirst ? withoutMark(rest, encoding) : rest),
  }
}

export function pieceDecoder(encoding: TextEncoding): PieceDecoder {
  const checker = pieceChecker(encoding)
  const single = encoding === 'utf-8' ? undefined : new TextDecoder(encoding)
  const toText = (bytes: Buffer) => single?.decode(bytes) ?? bytes.toString('utf8')
  return {
    decode: (bytes) => toText(checker.check(bytes)),
    end: () => toText(checker.end()),
  }
}

function withoutMark(bytes: Buffer, encoding: TextEncoding): Buffer {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))) throw utf16()
  if (!bytes.subarray(0, 3).equals(UTF8_MARK)) return bytes
  if (encoding === 'utf-8') return bytes.subarray(3)
  throw new NotText('encoding', `is UTF-8 by its first bytes, not ${encoding}`, '')
}

/** Where the last character that may be cut off begins; the whole length if none is. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return wanted > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}

function notUtf8(bytes: Buffer): NotText {
  // The longest beginning that is UTF-8, by halving; a cut through a character counts as wrong, so
  // that the result may be a character short: the line is the same.
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const end = wholeCharacters(bytes.subarray(0, middle))
    if (isUtf8(bytes.subarray(0, end))) good = middle
    else bad = middle
  }
  const before = bytes.subarray(0, wholeCharacters(bytes.subarray(0, good)))
  return new NotText('encoding', 'is not UTF-8', before.toString('utf8'))
}

function utf16(): NotText {
  return new NotText('encoding', 'is UTF-16: save the file as UTF-8', '')
}

/** Without its mark, UTF-16 of western text has a NUL beside every letter. */
function binary(bytes: Buffer, nul: number): NotText {
  const start = bytes.subarray(0, 64)
  const nuls = start.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0)
  if (nul < 2 && nuls * 3 > start.length) return utf16()
  return new NotText(
    'binary',
    'has a byte that no text has (NUL)',
    bytes.toString('latin1', 0, nul),
  )
}

/** Pieces of less are put together first: what comes in crumbs is not read again for each. */
const PIECE_BYTES = 16 * 1024

/** The same bytes in pieces that are worth the work; each is good until the next is asked for. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size < PIECE_BYTES) {
      // A copy: of what is read here, no more is promised.
      waiting.push(Uint8Array.from(chunk))
      continue
    }
    yield waiting.length === 0 ? viewOf(chunk) : Buffer.concat([...waiting, chunk])
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** A line without its end, numbered from 1. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

/** A line that is not complete within so many bytes is none. */
const LONGEST_LINE = 64 * 1024
const LF = 0x0a
const single = new TextDecoder('windows-1252')

/** A file with a line that has no end within reason. */
export class LineTooLong extends Error {
  readonly line: number

  constructor(line: number) {
    super(`line ${line} is longer than ${LONGEST_LINE} bytes`)
    this.name = 'LineTooLong'
    this.line = line
  }
}

/**
 * Reads a text file piece by piece: lines that end by LF or CRLF. What is UTF-8 is read as such, and
 * what is not as windows-1252: banks send both under one name.
 */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine[]> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  for await (const piece of pieces(bytes)) {
    const whole = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const end = whole.lastIndexOf(LF) + 1
    rest = Buffer.from(whole.subarray(end))
    if (rest.length > LONGEST_LINE) throw new LineTooLong(line + 1)
    if (end === 0) continue
    const lines = linesOf(whole.subarray(0, end - 1), line)
    line += lines.length
    yield lines
  }
  if (rest.length > 0) yield linesOf(rest, line)
}

function linesOf(bytes: Buffer, before: number): TextLine[] {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : single.decode(bytes)
  return text.split('\n').map((each, i) => ({
    line: before + i + 1,
    text: (before + i === 0 ? each.replace(/^\uFEFF/, '') : each).replace(/\r$/, ''),
  }))
}

import { isUtf8 } from 'node:buffer'
import { pieces } from './pieces.ts'

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

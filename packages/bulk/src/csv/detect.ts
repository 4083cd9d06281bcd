import { isAscii, isUtf8 } from 'node:buffer'
import type { TextEncoding } from '../text/text-decoder.ts'

/** How a file is written. */
export interface CsvStyle {
  readonly delimiter: ',' | ';'
  readonly encoding: TextEncoding
}

const LF = 0x0a
/** A first row is no longer. */
const MOST_HEADER = 64 * 1_024

/**
 * Sees how a file is written, by all of its bytes. Between the names of its first row are more commas
 * or more semicolons. Lines that are not UTF-8 are windows-1252, as Excel saves CSV in much of Europe,
 * unless more lines are: then the file is damaged, and reading it as UTF-8 says where.
 */
export async function detectCsv(bytes: AsyncIterable<Uint8Array>): Promise<CsvStyle> {
  let header = ''
  let rest: Buffer = Buffer.alloc(0)
  const lines = { unicode: 0, other: 0 }
  const count = (line: Buffer) => {
    if (isAscii(line)) return
    if (isUtf8(line)) lines.unicode += 1
    else lines.other += 1
  }
  for await (const piece of bytes) {
    if (header.length < MOST_HEADER) header += Buffer.from(piece).toString('latin1')
    const whole = Buffer.concat([rest, piece])
    const end = whole.lastIndexOf(LF) + 1
    // A line without an end is counted in parts; it is refused when it is read.
    rest = end === 0 && whole.length > MOST_HEADER ? Buffer.alloc(0) : whole.subarray(end)
    if (isAscii(whole)) continue
    for (let at = 0; at < end;) {
      const next = whole.indexOf(LF, at) + 1
      count(whole.subarray(at, next))
      at = next
    }
  }
  count(rest)
  return {
    delimiter: delimiterOf(header),
    encoding: lines.other > lines.unicode ? 'windows-1252' : 'utf-8',
  }
}

function delimiterOf(header: string): CsvStyle['delimiter'] {
  const [row = ''] = header
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1)
  const count = (sign: string) => row.split(sign).length
  return count(';') > count(',') ? ';' : ','
}

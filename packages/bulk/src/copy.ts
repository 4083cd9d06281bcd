import type { Statement, Transaction } from '@posthorn/engine'
import { from, type CopyStreamQuery } from 'pg-copy-streams'

const FIRST_BYTES = 64 * 1024
/** The most bytes that UTF-8 needs for one unit of a string. */
const UNIT_BYTES = 3

/**
 * Lines that wait to be copied, outside of the heap and in memory that is used again: buffers that
 * live as long as a transaction outlive the quick collections, and pile up until a slow one.
 */
export class CopyBuffer {
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  add(lines: string): void {
    this.#makeRoom(this.#length + lines.length * UNIT_BYTES)
    this.#length += this.#memory.write(lines, this.#length)
  }

  /** What was added; good until `clear`. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#memory.length) return
    const memory = Buffer.allocUnsafeSlow(Math.max(bytes, this.#memory.length * 2))
    this.#memory.copy(memory, 0, 0, this.#length)
    this.#memory = memory
  }
}

export const NULL_CELL = '\\N'

// What COPY's text format reads as something else.
const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

/** A text as a cell of COPY's text format, with every character escaped that needs it. */
export function copyCell(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? '') : text
}

/** A stream that takes the lines of a `copy … from stdin`; its rows are stored when it has finished. */
export function copyInto(tx: Transaction, statement: string): CopyStreamQuery {
  // pg takes a stream where a statement is expected, and gives it back instead of a promise.
  const stream: unknown = from(statement)
  return tx.query(stream as Statement) as unknown as CopyStreamQuery
}

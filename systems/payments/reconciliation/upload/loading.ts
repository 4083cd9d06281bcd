import { randomInt } from 'node:crypto'
import { CopyBuffer, NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import type { SpoolFile } from '@posthorn/bulk/spool'
import { Findings, type ReadStatement } from '../formats/findings.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { ExactSum } from '../reason.ts'
import { explainNoRoom, readRecords, type FileContents } from './contents.ts'

/** What the records of a currency add up to. */
export interface CurrencySum {
  readonly records: number
  /** Minor units as text: a large file has more than a number can say. */
  readonly amount: string
}

interface Running {
  records: number
  readonly amount: ExactSum
}

/** Adds up a file, each currency for itself. */
export class Sums {
  readonly #sums = new Map<string, Running>()

  add({ currency, amount }: BankRecord): void {
    let sum = this.#sums.get(currency)
    if (sum === undefined) {
      sum = { records: 0, amount: new ExactSum() }
      this.#sums.set(currency, sum)
    }
    sum.records += 1
    sum.amount.add(amount)
  }

  /** By currency, in the order of their names. */
  result(): Record<string, CurrencySum> {
    const entries = [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      entries.map(([currency, { records, amount }]) => {
        return [currency, { records, amount: String(amount.value) }]
      }),
    )
  }
}

/** Where a record stands among those of its file that say the same. */
interface Occurrence {
  /** From 1. */
  readonly number: number
  /** The line of the first. */
  readonly first: number
}

/** A slot: two halves of a hash, and the first line; 0: it is free. */
const WORDS = 3
const FULL = 0.8
const GROWTH = 1.5
const FIRST_SLOTS = 65_536

/**
 * Counts identical records of a file. A hash table of plain numbers, 12 bytes a slot: a Map of a
 * million texts would take ten times as much. Two records that differ share all 64 bits of the hash
 * once in millions of files, and then one of them is called a duplicate, nothing more.
 */
export class Occurrences {
  // Not to be guessed: else a file could be made whose records all fall into one slot.
  readonly #seed = randomInt(2 ** 32)
  #slots = new Uint32Array(WORDS * FIRST_SLOTS)
  #used = 0
  /** How often those are there that are there again, by their first line: mostly few. */
  readonly #repeated = new Map<number, number>()

  count({ line, externalTransactionId, amount, currency, bookedOn }: BankRecord): Occurrence {
    let a = 0xdeadbeef ^ this.#seed ^ (amount | 0)
    let b = 0x41c6ce57 ^ this.#seed ^ (amount / 2 ** 32)
    // One after the other, not put together: a million texts less.
    for (const text of [bookedOn, currency, externalTransactionId]) {
      for (let i = 0; i < text.length; i += 1) {
        const code = text.charCodeAt(i)
        a = Math.imul(a ^ code, 2_654_435_761)
        b = Math.imul(b ^ code, 1_597_334_677)
      }
    }
    a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
    b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
    return this.#find(a >>> 0, b >>> 0, line)
  }

  #find(a: number, b: number, line: number): Occurrence {
    const slots = this.#slots
    const at = slotOf(slots, a, b)
    const first = slots[at + 2] ?? 0
    if (first !== 0) {
      const number = (this.#repeated.get(first) ?? 1) + 1
      this.#repeated.set(first, number)
      return { number, first }
    }
    slots[at] = a
    slots[at + 1] = b
    slots[at + 2] = line
    this.#used += 1
    if (this.#used * WORDS > slots.length * FULL) {
      this.#slots = grown(slots)
      free(slots)
    }
    return { number: 1, first: line }
  }

  /** Gives the memory back; nothing can be counted any more. */
  release(): void {
    free(this.#slots)
  }
}

/** Where a hash is, or where it belongs. */
function slotOf(slots: Uint32Array, a: number, b: number): number {
  let at = (a % (slots.length / WORDS)) * WORDS
  while (slots[at + 2] !== 0 && !(slots[at] === a && slots[at + 1] === b)) {
    at += WORDS
    if (at === slots.length) at = 0
  }
  return at
}

/** At once: until a collection, what was outgrown would be twice as much as what is in use. */
function free(slots: Uint32Array<ArrayBuffer>): void {
  slots.buffer.transfer(0)
}

/** By half, not by as much again: for a moment there are both. */
function grown(slots: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil((slots.length / WORDS) * GROWTH) * WORDS)
  for (let at = 0; at < slots.length; at += WORDS) {
    if (slots[at + 2] === 0) continue
    const to = slotOf(larger, slots[at] ?? 0, slots[at + 1] ?? 0)
    for (let word = 0; word < WORDS; word += 1) larger[to + word] = slots[at + word] ?? 0
  }
  return larger
}

/** So many bytes go to the disk at once: a write for every batch would take longer than reading it. */
const WRITTEN_BYTES = 64 * 1024

/** A file on its way into a run. */
export interface IncomingFile extends FileContents {
  readonly runId: string
  /** Called with the number of records after each batch. */
  loaded(records: number): void
}

/** What was in it. */
export interface LoadedFile {
  readonly total: number
  readonly duplicates: number
  readonly sums: Readonly<Record<string, CurrencySum>>
  readonly statements: readonly ReadStatement[]
  readonly pending: number
}

/**
 * Reads a file while it arrives and puts its records on the disk, ready for COPY, with memory for a few
 * batches. Throws the problem with the first mistakes.
 */
export async function spoolRecords(spool: SpoolFile, file: IncomingFile): Promise<LoadedFile> {
  const sums = new Sums()
  const occurrences = new Occurrences()
  const findings = new Findings()
  const lines = new CopyBuffer()
  let total = 0
  let duplicates = 0
  for await (const records of readRecords(file, findings)) {
    let text = ''
    for (const record of records) {
      const occurrence = occurrences.count(record)
      if (occurrence.number > 1) duplicates += 1
      sums.add(record)
      text += copyLine(file.runId, record, occurrence)
    }
    lines.add(text)
    total += records.length
    file.loaded(total)
    if (lines.bytes.length >= WRITTEN_BYTES) await writeLines(spool, lines)
  }
  await writeLines(spool, lines)
  occurrences.release()
  const { statements, pending } = findings
  return { total, duplicates, sums: sums.result(), statements, pending }
}

async function writeLines(spool: SpoolFile, lines: CopyBuffer): Promise<void> {
  await spool.append(lines.bytes).catch(explainNoRoom)
  lines.clear()
}

/** A record as a line of COPY, in the order of its columns. */
function copyLine(runId: string, record: BankRecord, { number, first }: Occurrence): string {
  const { line, amount, currency, bookedOn, fee, externalTransactionId: id } = record
  const duplicateOf = number > 1 ? first : NULL_CELL
  return `${runId}\t${line}\t${number}\t${duplicateOf}\t${amount}\t${fee ?? NULL_CELL}\t${currency}\t${bookedOn}\t${copyCell(id)}\n`
}

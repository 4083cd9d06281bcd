import { randomInt } from 'node:crypto'
import type { BankRecord } from '../profiles/statement-reader.ts'

/** Where a record stands among those of its file that say the same. */
export interface Occurrence {
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

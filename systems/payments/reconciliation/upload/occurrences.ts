import { randomInt } from 'node:crypto'
import type { BankRecord } from '../profiles/statement-reader.ts'

/** Where a record stands among those of its file that say the same. */
export interface Occurrence {
  /** From 1. */
  readonly number: number
  /** The line of the first. */
  readonly first: number
}

/** A slot: two halves of a hash, the first line, and how often. */
const WORDS = 4
const FULL = 0.7

/**
 * Counts identical records of a file. A hash table of plain numbers, 16 bytes a slot: a Map of a
 * million texts would take ten times as much. Two records that differ share all 64 bits of the hash
 * once in millions of files, and then one of them is called a duplicate, nothing more.
 */
export class Occurrences {
  // Not to be guessed: else a file could be made whose records all fall into one slot.
  readonly #seed = randomInt(2 ** 32)
  #slots = new Uint32Array(WORDS * 65_536)
  #used = 0

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
      const number = (slots[at + 3] ?? 0) + 1
      slots[at + 3] = number
      return { number, first }
    }
    slots[at] = a
    slots[at + 1] = b
    slots[at + 2] = line
    slots[at + 3] = 1
    this.#used += 1
    if (this.#used * WORDS > slots.length * FULL) this.#slots = double(slots)
    return { number: 1, first: line }
  }
}

/** Where a hash is, or where it belongs. */
function slotOf(slots: Uint32Array, a: number, b: number): number {
  const mask = slots.length - 1
  let at = (a * WORDS) & mask
  while (slots[at + 2] !== 0 && !(slots[at] === a && slots[at + 1] === b)) at = (at + WORDS) & mask
  return at
}

function double(slots: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(slots.length * 2)
  for (let at = 0; at < slots.length; at += WORDS) {
    if (slots[at + 2] === 0) continue
    const to = slotOf(larger, slots[at] ?? 0, slots[at + 1] ?? 0)
    for (let word = 0; word < WORDS; word += 1) larger[to + word] = slots[at + word] ?? 0
  }
  return larger
}

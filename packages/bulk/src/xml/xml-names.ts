/** A name of an element or an attribute. */
export interface XmlName {
  readonly text: string
  readonly bytes: Uint8Array
  /** The name that was read after it the last time: files repeat themselves. */
  next: XmlName | undefined
}

const NAME = /^[\p{L}_:][\p{L}\p{N}_:.\-\u00B7]*$/u

/** A power of two. A file has few names, each of them many times. */
const SLOTS = 1_024
/** Names that fall together stand beside each other. */
const NEIGHBOURS = 4
/** Longer ones are not kept. */
const LONGEST_KEPT = 64

const SLASH = 47
const EQUALS = 61
const GREATER = 62

/**
 * Reads names by their bytes. One that was read before is found again without a new string: that is
 * half of what a statement consists of.
 */
export class XmlNames {
  readonly #slots = Array.from<XmlName | undefined>({ length: SLOTS + NEIGHBOURS }).fill(undefined)
  #last: XmlName | undefined
  #end = 0

  /** Where the name that was read last has ended. */
  get end(): number {
    return this.#end
  }

  /** The name that begins at a place and ends before a limit; undefined if it is none. */
  read(bytes: Buffer, from: number, limit: number): XmlName | undefined {
    const last = this.#last
    const expected = last?.next
    const name =
      expected !== undefined && this.#isNext(expected, bytes, { from, limit })
        ? expected
        : this.#find(bytes, from, limit)
    if (last !== undefined) last.next = name
    this.#last = name
    return name
  }

  #isNext(
    { bytes: wanted }: XmlName,
    bytes: Buffer,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): boolean {
    const end = from + wanted.length
    if (end >= limit || !isEnd(bytes[end]) || !isAt(bytes, from, wanted)) return false
    this.#end = end
    return true
  }

  #find(bytes: Buffer, from: number, limit: number): XmlName | undefined {
    let at = from
    let hash = 0
    for (; at < limit && !isEnd(bytes[at]); at += 1) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
    }
    this.#end = at
    const first = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    for (let slot = first; slot < first + NEIGHBOURS; slot += 1) {
      const known = this.#slots[slot]
      if (known === undefined) return this.#make(bytes.subarray(from, at), slot)
      if (known.bytes.length === at - from && isAt(bytes, from, known.bytes)) return known
    }
    return this.#make(bytes.subarray(from, at), first)
  }

  #make(part: Buffer, slot: number): XmlName | undefined {
    const text = part.toString('utf8')
    if (!NAME.test(text)) return undefined
    const name = { text, bytes: Uint8Array.from(part), next: undefined }
    if (part.length <= LONGEST_KEPT) this.#slots[slot] = name
    return name
  }
}

/** Whether these bytes stand at a place. */
export function isAt(bytes: Buffer, place: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i += 1) {
    if (bytes[place + i] !== wanted[i]) return false
  }
  return true
}

/** What ends a name. */
function isEnd(code: number | undefined): boolean {
  return code === GREATER || code === SLASH || code === EQUALS || isBlank(code)
}

export function isBlank(code: number | undefined): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

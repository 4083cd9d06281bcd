import { isAscii } from 'node:buffer'
import { XmlNames, isAt, isBlank, type XmlName } from './xml-names.ts'
import { CodedError } from '@posthorn/engine'

/** Why a file cannot be read as XML. */
export type XmlErrorCode =
  'XML_ENCODING' | 'XML_MALFORMED' | 'XML_DOCTYPE' | 'XML_TOO_DEEP' | 'XML_TOO_LARGE'

/** Where in the file, both from 1. */
export interface XmlPlace {
  readonly line: number
  readonly column: number
}

/** A file that is no XML, or more than is read, with the place and the reason. */
export class XmlError extends CodedError<XmlErrorCode> {
  readonly line: number
  readonly column: number
  /** Goes on where the place ends: `closes another element`. Holds nothing of the file. */
  readonly reason: string

  constructor(code: XmlErrorCode, { line, column }: XmlPlace, reason: string) {
    super(code, `line ${line}, column ${column}: ${reason}`)
    this.line = line
    this.column = column
    this.reason = reason
  }
}

export type Attributes = ReadonlyMap<string, string>

/** What is done with the parts of a file. Names are as they stand there, with their prefix. */
export interface XmlHandler {
  /**
   * Returns whether the text inside the element is wanted, up to its first child. The attributes are
   * those of this element only until the handler returns.
   */
  open(name: string, attributes: Attributes): boolean
  /** Decoded; in several parts where a comment or a section stands between. */
  text(text: string): void
  close(name: string): void
}

const NO_ATTRIBUTES: Attributes = new Map()

/** What is not complete within so many bytes is no statement of a bank. */
const LONGEST_TOKEN = 256 * 1024
const DEEPEST = 64
const FIRST_BYTES = 32 * 1024

const LF = 10
const BANG = 33
const QUOTE = 34
const AMPERSAND = 38
const APOSTROPHE = 39
const SLASH = 47
const LESS = 60
const EQUALS = 61
const GREATER = 62
const QUESTION = 63

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])
const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|\w{1,8});|&/g

/*
 * Reads the XML that machines write to each other: elements, attributes, text, comments, sections.
 * There is no document type and no entity of a file's own, so nothing grows and nothing is fetched.
 * It works on the bytes, in memory of its own that is used again, and makes strings of nothing but
 * what the handler wants: most of a statement is names and blanks. A token that is not complete is
 * kept and read again with what comes next, and its size is bounded.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  readonly #names = new XmlNames()
  readonly #open: XmlName[] = []
  readonly #attributes = new Map<string, string>()
  #memory = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** How much of the memory is filled. */
  #length = 0
  #isAscii = true
  /** Where the token under way begins. */
  #at = 0
  #wantsText = false
  #hasRoot = false
  // Of the token under way the line, and of a position before it on that line the column.
  #line = 1
  #column = 1
  #columnAt = 0

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  /** Where the part begins that the handler is called with. */
  get place(): XmlPlace {
    this.#countColumns()
    return { line: this.#line, column: this.#column }
  }

  /** Where a file is after some text which follows on what was written. */
  placeAfter(text: string): XmlPlace {
    this.#take(Buffer.from(text))
    this.#pass(this.#length)
    return this.place
  }

  /** UTF-8 without a mark before it; characters may be cut. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#take(bytes)
    this.#scan()
    if (this.#length - this.#at > LONGEST_TOKEN) {
      this.#fail('XML_TOO_LARGE', `has a part of more than ${LONGEST_TOKEN} bytes`)
    }
  }

  /** Checks that nothing is missing. */
  end(): void {
    const rest = this.#decode(this.#at, this.#length)
    if (rest.trim() !== '') {
      this.#fail('XML_MALFORMED', rest.startsWith('<') ? 'breaks off in a tag' : 'is no element')
    }
    this.#pass(this.#length)
    if (!this.#hasRoot) this.#fail('XML_MALFORMED', 'has no element')
    if (this.#open.length > 0) {
      this.#fail('XML_MALFORMED', `ends with ${this.#open.length} elements that are not closed`)
    }
  }

  /** What is not read yet, and the new bytes behind it. */
  #take(bytes: Uint8Array): void {
    this.#countColumns()
    const rest = this.#length - this.#at
    const wanted = rest + bytes.length
    const memory = wanted > this.#memory.length ? Buffer.allocUnsafeSlow(wanted * 2) : this.#memory
    this.#memory.copy(memory, 0, this.#at, this.#length)
    memory.set(bytes, rest)
    this.#memory = memory
    this.#length = wanted
    this.#isAscii = isAscii(memory.subarray(0, wanted))
    this.#at = 0
    this.#columnAt = 0
  }

  /** Columns are units of UTF-16, as editors count them. */
  #countColumns(): void {
    this.#column += this.#isAscii
      ? this.#at - this.#columnAt
      : this.#decode(this.#columnAt, this.#at).length
    this.#columnAt = this.#at
  }

  /** The token under way ends, with the lines that are in it. */
  #pass(end: number): void {
    for (let at = this.#at; at < end; at += 1) {
      if (this.#memory[at] === LF) this.#passLines(1, at + 1)
    }
    this.#at = end
  }

  #passLines(lines: number, lineStart: number): void {
    this.#line += lines
    this.#column = 1
    this.#columnAt = lineStart
  }

  #fail(code: XmlErrorCode, reason: string): never {
    throw new XmlError(code, this.place, reason)
  }

  #decode(from: number, to: number): string {
    return this.#memory.toString(this.#isAscii ? 'latin1' : 'utf8', from, to)
  }

  #scan(): void {
    const bytes = this.#memory
    const length = this.#length
    for (;;) {
      let tag = this.#at
      let lines = 0
      let lineStart = 0
      let isPlain = true
      for (; tag < length && bytes[tag] !== LESS; tag += 1) {
        if (bytes[tag] === LF) {
          lines += 1
          lineStart = tag + 1
        } else if (bytes[tag] === AMPERSAND) isPlain = false
      }
      if (tag === length) return
      if (tag > this.#at) this.#characters(tag, isPlain ? 'plain' : 'with references')
      this.#at = tag
      if (lines > 0) this.#passLines(lines, lineStart)
      if (!this.#token(tag)) return
    }
  }

  /** The text up to a tag. */
  #characters(end: number, kind: 'plain' | 'with references'): void {
    if (this.#open.length === 0) {
      if (this.#decode(this.#at, end).trim() !== '') {
        this.#fail('XML_MALFORMED', 'has text outside of the elements')
      }
    } else if (this.#wantsText) {
      const text = this.#decode(this.#at, end)
      this.#handler.text(kind === 'plain' ? text : this.#resolve(text))
    }
  }

  /** Reads what begins with `<`; false if the rest is not here yet. */
  #token(start: number): boolean {
    if (start + 1 === this.#length) return false
    const code = this.#memory[start + 1]
    if (code === SLASH) return this.#closing(start)
    if (code === BANG) return this.#special(start)
    return code === QUESTION ? this.#passAfter('?>', start + 2) : this.#opening(start)
  }

  #closing(start: number): boolean {
    const bytes = this.#memory
    const from = start + 2
    const name = this.#open[this.#open.length - 1]
    const isIt = name !== undefined && isAt(bytes, from, name.bytes)
    const nameEnd = from + (name?.bytes.length ?? 0)
    const isPlain = isIt && nameEnd < this.#length && bytes[nameEnd] === GREATER
    const end = isPlain ? nameEnd : this.#find('>', from)
    if (end < 0) return false
    if (name === undefined || !isIt || !this.#isBlankBetween(nameEnd, end)) {
      this.#fail('XML_MALFORMED', 'closes an element that is not open')
    }
    this.#open.pop()
    this.#wantsText = false
    this.#handler.close(name.text)
    if (isPlain) this.#at = end + 1
    else this.#pass(end + 1)
    return true
  }

  /** A comment, a section of text, or what no statement has. */
  #special(start: number): boolean {
    const head = this.#memory.toString('latin1', start, Math.min(start + 9, this.#length))
    if (head.startsWith('<!--')) return this.#passAfter('-->', start + 4)
    if (head === '<![CDATA[') {
      const end = this.#find(']]>', start + 9)
      if (end < 0) return false
      if (this.#open.length === 0) this.#fail('XML_MALFORMED', 'has text outside of the elements')
      if (this.#wantsText) this.#handler.text(this.#decode(start + 9, end))
      this.#pass(end + 3)
      return true
    }
    if (head.length < 9) return false
    if (head === '<!DOCTYPE') {
      this.#fail('XML_DOCTYPE', 'has a document type (DTD), which is not read')
    }
    return this.#fail('XML_MALFORMED', 'is neither an element nor a comment')
  }

  #opening(start: number): boolean {
    const bytes = this.#memory
    const name = this.#names.read(bytes, start + 1, this.#length)
    const nameEnd = this.#names.end
    if (nameEnd === this.#length) return false
    if (name === undefined) this.#fail('XML_MALFORMED', 'has no proper name')
    const isPlain = bytes[nameEnd] === GREATER
    const end = isPlain ? nameEnd : this.#readAttributes(nameEnd)
    if (end < 0) return false
    if (this.#open.length === 0 && this.#hasRoot) {
      this.#fail('XML_MALFORMED', 'is a second element beside the first')
    }
    if (this.#open.length >= DEEPEST) {
      this.#fail('XML_TOO_DEEP', `is inside of more than ${DEEPEST} elements`)
    }
    this.#hasRoot = true
    const isEmpty = bytes[end - 1] === SLASH
    const wantsText = this.#handler.open(name.text, isPlain ? NO_ATTRIBUTES : this.#attributes)
    this.#wantsText = wantsText && !isEmpty
    if (isEmpty) this.#handler.close(name.text)
    if (isPlain) this.#at = end + 1
    else this.#pass(end + 1)
    if (!isEmpty) this.#open.push(name)
    return true
  }

  /** From behind the name to the `>` that is not in quotes: where that is; -1 if it is not here yet. */
  #readAttributes(from: number): number {
    const bytes = this.#memory
    const length = this.#length
    const attributes = this.#attributes
    attributes.clear()
    let at = from
    for (;;) {
      at = this.#skipBlanks(at)
      if (at >= length) return -1
      if (bytes[at] === GREATER) return at
      if (bytes[at] === SLASH) {
        if (at + 1 >= length) return -1
        if (bytes[at + 1] === GREATER) return at + 1
      }
      const name = this.#names.read(bytes, at, length)
      const sign = this.#skipBlanks(this.#names.end)
      const open = this.#skipBlanks(sign + 1)
      if (open >= length) return -1
      const quote = bytes[open]
      const isValue = bytes[sign] === EQUALS && (quote === QUOTE || quote === APOSTROPHE)
      if (!isValue) this.#fail('XML_MALFORMED', 'has an attribute without a quoted value')
      let close = open + 1
      while (close < length && bytes[close] !== quote) close += 1
      if (close === length) return -1
      if (name === undefined) this.#fail('XML_MALFORMED', 'has no proper name')
      if (attributes.has(name.text)) this.#fail('XML_MALFORMED', 'has an attribute twice')
      const value = this.#decode(open + 1, close)
      if (value.includes('<')) this.#fail('XML_MALFORMED', 'has a tag in an attribute')
      attributes.set(name.text, value.includes('&') ? this.#resolve(value) : value)
      at = close + 1
    }
  }

  /** Where a mark begins; -1 if it is not here yet. */
  #find(mark: string, from: number): number {
    const at = this.#memory.indexOf(mark, from, 'latin1')
    // What is behind the length is of before.
    return at < 0 || at + mark.length > this.#length ? -1 : at
  }

  #passAfter(mark: string, from: number): boolean {
    const at = this.#find(mark, from)
    if (at >= 0) this.#pass(at + mark.length)
    return at >= 0
  }

  #skipBlanks(from: number): number {
    let at = from
    while (at < this.#length && isBlank(this.#memory[at])) at += 1
    return at
  }

  #isBlankBetween(from: number, to: number): boolean {
    return this.#skipBlanks(from) >= to
  }

  /** Puts characters in the place of their references. */
  #resolve(text: string): string {
    return text.replaceAll(REFERENCE, (reference) => {
      const character = characterOf(reference)
      if (character === undefined) {
        return this.#fail('XML_MALFORMED', 'has an entity that XML does not define')
      }
      return character
    })
  }
}

/** Of `&amp;`, `&#228;` or `&#xE4;`; undefined for what XML does not define. */
function characterOf(reference: string): string | undefined {
  const name = reference.slice(1, -1)
  if (!name.startsWith('#')) return ENTITIES.get(name)
  const point = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
  return isCharacter ? String.fromCodePoint(point) : undefined
}

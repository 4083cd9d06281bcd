import { XmlError, type XmlErrorCode, type XmlPlace } from './xml-error.ts'

export type Attributes = ReadonlyMap<string, string>

/** What is done with the parts of a file. Names are as they stand there, with their prefix. */
export interface XmlHandler {
  /** Returns whether the text inside the element is wanted, up to its first child. */
  open(name: string, attributes: Attributes): boolean
  /** Decoded; in several parts where a comment or a section stands between. */
  text(text: string): void
  close(name: string): void
}

const NO_ATTRIBUTES: Attributes = new Map()

/** What is not complete within so many characters is no statement of a bank. */
const LONGEST_TOKEN = 256 * 1024
const DEEPEST = 64

const SLASH = 47
const BANG = 33
const QUESTION = 63
const EQUALS = 61
const QUOTE = 34
const APOSTROPHE = 39

const NAME = /^[\p{L}_:][\p{L}\p{N}_:.\-\u00B7]*$/u
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}
const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|\w{1,8});|&/g

/*
 * Reads the XML that machines write to each other: elements, attributes, text, comments, sections.
 * There is no document type and no entity of a file's own, so nothing grows and nothing is fetched.
 * Tokens are found by `indexOf`, which runs at the speed of the engine below; one that is not complete
 * is kept and read again with what comes next, and its size is bounded.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  readonly #open: string[] = []
  readonly #names = new Set<string>()
  #text = ''
  /** Where the token under way begins in the text at hand. */
  #at = 0
  #wantsText = false
  #isBegun = false
  #hasRoot = false
  // The place of a position in the text at hand: found from the one that was asked for before.
  #counted = 0
  #line = 1
  #lineStart = 0

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  /** Where the part begins that the handler is called with. */
  get place(): XmlPlace {
    return this.#placeOf(this.#at)
  }

  /** Where a file is after some text which follows on what was written. */
  placeAfter(text: string): XmlPlace {
    this.#take(text)
    return this.#placeOf(this.#text.length)
  }

  write(text: string): void {
    if (text === '') return
    this.#take(this.#isBegun ? text : text.replace(/^\uFEFF/, ''))
    this.#isBegun = true
    this.#scan()
    if (this.#text.length - this.#at > LONGEST_TOKEN) {
      this.#fail('XML_TOO_LARGE', `has a part of more than ${LONGEST_TOKEN} characters`)
    }
  }

  /** Checks that nothing is missing. */
  end(): void {
    const rest = this.#text.slice(this.#at)
    if (rest.trim() !== '') {
      this.#fail('XML_MALFORMED', rest.startsWith('<') ? 'breaks off in a tag' : 'is no element')
    }
    this.#at = this.#text.length
    if (!this.#hasRoot) this.#fail('XML_MALFORMED', 'has no element')
    if (this.#open.length > 0) {
      this.#fail('XML_MALFORMED', `ends with ${this.#open.length} elements that are not closed`)
    }
  }

  /** What is not read yet, and the new text behind it. */
  #take(text: string): void {
    this.#placeOf(this.#at)
    this.#lineStart -= this.#at
    this.#text = this.#at === this.#text.length ? text : this.#text.slice(this.#at) + text
    this.#at = 0
    this.#counted = 0
  }

  #placeOf(position: number): XmlPlace {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#counted)
      if (end < 0 || end >= position) break
      this.#line += 1
      this.#counted = end + 1
      this.#lineStart = end + 1
    }
    this.#counted = Math.max(this.#counted, position)
    return { line: this.#line, column: position - this.#lineStart + 1 }
  }

  #fail(code: XmlErrorCode, reason: string): never {
    throw new XmlError(code, this.#placeOf(this.#at), reason)
  }

  #scan(): void {
    const text = this.#text
    for (;;) {
      const tag = text.indexOf('<', this.#at)
      if (tag < 0) return
      if (tag > this.#at) this.#characters(text, tag)
      this.#at = tag
      const end = this.#token(text, tag)
      if (end < 0) return
      this.#at = end
    }
  }

  /** The text up to a tag. */
  #characters(text: string, end: number): void {
    if (this.#open.length === 0) {
      if (text.slice(this.#at, end).trim() !== '') {
        this.#fail('XML_MALFORMED', 'has text outside of the elements')
      }
    } else if (this.#wantsText) this.#handler.text(this.#decoded(text.slice(this.#at, end)))
  }

  /** Reads what begins with `<`; gives where it ends, or -1 if the rest is not here yet. */
  #token(text: string, start: number): number {
    const code = text.charCodeAt(start + 1)
    if (code === SLASH) return this.#closing(text, start)
    if (code === BANG) return this.#special(text, start)
    if (code === QUESTION) return after(text, '?>', start + 2)
    return Number.isNaN(code) ? -1 : this.#opening(text, start)
  }

  #closing(text: string, start: number): number {
    const end = text.indexOf('>', start + 2)
    if (end < 0) return -1
    const name = this.#open.pop()
    const isIt =
      name !== undefined &&
      text.startsWith(name, start + 2) &&
      (end === start + 2 + name.length || text.slice(start + 2 + name.length, end).trim() === '')
    if (!isIt) this.#fail('XML_MALFORMED', 'closes an element that is not open')
    this.#wantsText = false
    this.#handler.close(name)
    return end + 1
  }

  /** A comment, a section of text, or what no statement has. */
  #special(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return after(text, '-->', start + 4)
    if (text.startsWith('<![CDATA[', start)) {
      const end = text.indexOf(']]>', start + 9)
      if (end < 0) return -1
      if (this.#open.length === 0) this.#fail('XML_MALFORMED', 'has text outside of the elements')
      if (this.#wantsText) this.#handler.text(text.slice(start + 9, end))
      return end + 3
    }
    if (text.length - start < 9) return -1
    if (text.startsWith('<!DOCTYPE', start)) {
      this.#fail('XML_DOCTYPE', 'has a document type (DTD), which is not read')
    }
    return this.#fail('XML_MALFORMED', 'is neither an element nor a comment')
  }

  #opening(text: string, start: number): number {
    const close = text.indexOf('>', start + 1)
    if (close < 0) return -1
    const nameEnd = endOfName(text, start + 1, close)
    const name = text.slice(start + 1, nameEnd)
    let end = close
    let attributes = NO_ATTRIBUTES
    if (nameEnd < close && !(nameEnd === close - 1 && text.charCodeAt(nameEnd) === SLASH)) {
      const found = this.#attributes(text, nameEnd)
      if (found === undefined) return -1
      ;({ end, attributes } = found)
    }
    this.#checkName(name)
    if (this.#open.length === 0 && this.#hasRoot) {
      this.#fail('XML_MALFORMED', 'is a second element beside the first')
    }
    if (this.#open.length >= DEEPEST) {
      this.#fail('XML_TOO_DEEP', `is inside of more than ${DEEPEST} elements`)
    }
    this.#hasRoot = true
    const wantsText = this.#handler.open(name, attributes)
    if (text.charCodeAt(end - 1) === SLASH) {
      this.#handler.close(name)
      this.#wantsText = false
    } else {
      this.#open.push(name)
      this.#wantsText = wantsText
    }
    return end + 1
  }

  /** A file has few names, each of them many times. */
  #checkName(name: string): void {
    if (this.#names.has(name)) return
    if (!NAME.test(name)) this.#fail('XML_MALFORMED', 'has no proper name')
    if (this.#names.size < 4_096) this.#names.add(name)
  }

  /** From behind the name to the `>` that is not in quotes; undefined if that is not here yet. */
  #attributes(
    text: string,
    from: number,
  ): { readonly end: number; readonly attributes: Attributes } | undefined {
    const attributes = new Map<string, string>()
    let at = from
    for (;;) {
      at = skipBlanks(text, at)
      if (at >= text.length) return undefined
      if (text[at] === '>') return { end: at, attributes }
      if (text.charCodeAt(at) === SLASH) {
        if (at + 1 >= text.length) return undefined
        if (text[at + 1] === '>') return { end: at + 1, attributes }
      }
      const equals = text.indexOf('=', at)
      const nameEnd = endOfName(text, at, equals < 0 ? text.length : equals)
      const sign = skipBlanks(text, nameEnd)
      const open = skipBlanks(text, sign + 1)
      if (open >= text.length) return undefined
      const quote = text.charCodeAt(open)
      const isValue = text.charCodeAt(sign) === EQUALS && (quote === QUOTE || quote === APOSTROPHE)
      if (!isValue) this.#fail('XML_MALFORMED', 'has an attribute without a quoted value')
      const close = text.indexOf(quote === QUOTE ? '"' : "'", open + 1)
      if (close < 0) return undefined
      const name = text.slice(at, nameEnd)
      this.#checkName(name)
      if (attributes.has(name)) this.#fail('XML_MALFORMED', 'has an attribute twice')
      const value = text.slice(open + 1, close)
      if (value.includes('<')) this.#fail('XML_MALFORMED', 'has a tag in an attribute')
      attributes.set(name, this.#decoded(value))
      at = close + 1
    }
  }

  #decoded(text: string): string {
    if (!text.includes('&')) return text
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
  if (!name.startsWith('#')) return ENTITIES[name]
  const point = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
  return isCharacter ? String.fromCodePoint(point) : undefined
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

/** Where a name ends, at `limit` at the latest. */
function endOfName(text: string, from: number, limit: number): number {
  let at = from
  while (at < limit) {
    const code = text.charCodeAt(at)
    if (code === SLASH || isBlank(code)) break
    at += 1
  }
  return at
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

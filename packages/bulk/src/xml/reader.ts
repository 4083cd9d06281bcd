import { NotText, pieceChecker, type PieceChecker, pieces } from '../text/text-decoder.ts'
import { XmlError, type XmlScanner } from './xml-scanner.ts'

/** The declaration stands in the first bytes, if there is one. */
const DECLARATION_BYTES = 256
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/
const EMPTY = Buffer.alloc(0)

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['iso-8859-1', 'latin1'],
  ['latin1', 'latin1'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
])

/**
 * Bytes of an XML file as UTF-8, piece by piece. The encoding is what its first bytes show, or what
 * its declaration says: UTF-8 unless it says otherwise.
 */
export function xmlDecoder(): PieceChecker {
  let decoder: PieceChecker | undefined
  let waiting = EMPTY
  const begin = (): Buffer => {
    decoder = decoderFor(waiting)
    const bytes = decoder.check(waiting)
    waiting = EMPTY
    return bytes
  }
  return {
    check(bytes) {
      if (decoder) return decoder.check(bytes)
      waiting = Buffer.concat([waiting, bytes])
      return waiting.length < DECLARATION_BYTES ? EMPTY : begin()
    },
    end() {
      const first = decoder ? EMPTY : begin()
      return Buffer.concat([first, decoder?.end() ?? EMPTY])
    },
  }
}

function decoderFor(bytes: Buffer): PieceChecker {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) {
    return recoder('utf-16le')
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) {
    return recoder('utf-16be')
  }
  const start = bytes.toString('latin1', 0, DECLARATION_BYTES).replace(/^\u00EF\u00BB\u00BF/, '')
  const declared = DECLARED.exec(start)?.[1]?.toLowerCase() ?? 'utf-8'
  const encoding = BY_NAME.get(declared)
  if (encoding === undefined) {
    const reason = 'declares an encoding that is neither UTF-8, UTF-16 nor ISO-8859-1'
    throw new NotText('encoding', reason, '')
  }
  if (encoding === 'utf-8') return pieceChecker('utf-8')
  return encoding === 'latin1' ? latin1 : recoder(encoding)
}

/** Each byte is its character: not windows-1252, which browsers read under this name. */
const latin1: PieceChecker = {
  check: (bytes) => Buffer.from(bytes.toString('latin1')),
  end: () => EMPTY,
}

function recoder(encoding: string): PieceChecker {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const strictly = (decode: () => string): Buffer => {
    try {
      return Buffer.from(decode())
    } catch {
      throw new NotText('encoding', `is not ${encoding.toUpperCase()}`, '')
    }
  }
  return {
    check: (bytes) => strictly(() => decoder.decode(bytes, { stream: true })),
    end: () => strictly(() => decoder.decode()),
  }
}

interface ReadXmlOptions {
  /** The bytes are the beginning of more: what is open at their end is no mistake. */
  readonly isCut?: boolean
}

/**
 * Gives a file to a scanner as its bytes come, with memory for a few pieces, and stops after each so
 * that what the handler found can be taken. Throws an `XmlError` at the first thing that is wrong.
 */
export async function* readXml(
  bytes: AsyncIterable<Uint8Array>,
  scanner: XmlScanner,
  { isCut = false }: ReadXmlOptions = {},
): AsyncGenerator<void> {
  const decoder = xmlDecoder()
  const utf8 = (decode: () => Buffer): Buffer => {
    try {
      return decode()
    } catch (error) {
      if (!(error instanceof NotText)) throw error
      throw new XmlError('XML_ENCODING', scanner.placeAfter(error.before), error.message)
    }
  }
  for await (const piece of pieces(bytes)) {
    scanner.write(utf8(() => decoder.check(piece)))
    yield
  }
  if (isCut) return
  scanner.write(utf8(() => decoder.end()))
  scanner.end()
  yield
}

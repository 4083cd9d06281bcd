import { pieces } from '../text/pieces.ts'
import { NotText } from '../text/text-decoder.ts'
import { xmlDecoder } from './xml-decoder.ts'
import { XmlError } from './xml-error.ts'
import type { XmlScanner } from './xml-scanner.ts'

export interface ReadXmlOptions {
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

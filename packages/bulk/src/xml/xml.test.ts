import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readXml } from './reader.ts'
import { XmlError, XmlScanner, type Attributes } from './xml-scanner.ts'

/** An element with what is in it, as the handler gets it. */
interface Element {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly inside: (Element | string)[]
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A scanner whose elements are kept below a root. */
function treeScanner(): { readonly scanner: XmlScanner; readonly root: Element } {
  const root: Element = { name: '', attributes: {}, inside: [] }
  const open = [root]
  const scanner = new XmlScanner({
    open(name: string, attributes: Attributes) {
      const element = { name, attributes: Object.fromEntries(attributes), inside: [] }
      open.at(-1)?.inside.push(element)
      open.push(element)
      return true
    },
    text(text: string) {
      const inside = open.at(-1)?.inside ?? []
      const last = inside.at(-1)
      if (typeof last === 'string') inside[inside.length - 1] = last + text
      else inside.push(text)
    },
    close() {
      open.pop()
    },
  })
  return { scanner, root }
}

async function parse(file: string | Buffer, size = 7): Promise<Element> {
  const { scanner, root } = treeScanner()
  for await (const _ of readXml(inPieces(Buffer.from(file as string), size), scanner)) continue
  return root.inside[0] as Element
}

/** Without the reader, which puts small pieces together: every cut is a cut. */
function parsePieces(file: string, size: number): Element {
  const { scanner, root } = treeScanner()
  const bytes = Buffer.from(file)
  for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size))
  scanner.end()
  return root.inside[0] as Element
}

const refusal = async (file: string | Buffer): Promise<XmlError | undefined> =>
  parse(file).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof XmlError) return error
      throw error
    },
  )

describe('what is written is read', () => {
  const name = fc.constantFrom('Ntry', 'ns:Amt', 'Ä-1', '_x.y')
  const value = fc.string({
    unit: fc.constantFrom('a', '<', '&', '"', "'", '>', ' ', 'é', '😀'),
    maxLength: 8,
  })
  const element: fc.Memo<Element> = fc.memo((depth) =>
    fc.record({
      name,
      attributes: fc.dictionary(name, value, { maxKeys: 2 }),
      inside: depth <= 1 ? fc.constant([]) : fc.array(element(depth - 1), { maxLength: 3 }),
    }),
  )
  const escaped = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('"', '&#34;')
      .replaceAll("'", '&#x27;')
  const write = ({ name: tag, attributes, inside }: Element, blank: string): string => {
    const given = Object.entries(attributes).map(
      ([key, text]) => `${blank || ' '}${key} = "${escaped(text)}"`,
    )
    const head = `<${tag}${given.join('')}${blank}`
    if (inside.length === 0) return `${head}/>`
    return `${head}><!-- <x> -->${inside.map((each) => write(each as Element, blank)).join('<?p ?>')}</${tag}${blank}>`
  }

  test('in pieces of any size and with any blanks', async () => {
    await fc.assert(
      fc.asyncProperty(
        element(3),
        fc.constantFrom('', ' ', '\r\n\t'),
        fc.integer({ min: 1, max: 40 }),
        async (tree, blank, size) => {
          const file = `<?xml version="1.0"?>\n${write(tree, blank)}\n`
          expect(await parse(file, size)).toEqual(tree)
          expect(parsePieces(file, size)).toEqual(tree)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('text with references and sections', async () => {
    const file = '<a>x &lt;&#228;&#xE4;&amp;amp;<![CDATA[<b>&amp;]]> y<b/></a>'
    expect((await parse(file)).inside).toEqual([
      'x <ää&amp;<b>&amp; y',
      { name: 'b', attributes: {}, inside: [] },
    ])
  })

  test('places count lines and characters over cuts, bytes of two and pairs of UTF-16', () => {
    const file = '<a>\n<b>é\n😀</b><c/> <!-- \n\n --><d\nx="1"/><é/><e/>\n</a>'
    const wanted = { a: '1:1', b: '2:1', c: '3:7', d: '5:5', é: '6:8', e: '6:12' }
    for (let size = 1; size <= file.length; size += 1) {
      const places: Record<string, string> = {}
      const scanner: XmlScanner = new XmlScanner({
        open(tag) {
          places[tag] = `${scanner.place.line}:${scanner.place.column}`
          return true
        },
        text: () => undefined,
        close: () => undefined,
      })
      const bytes = Buffer.from(file)
      for (let at = 0; at < bytes.length; at += size) scanner.write(bytes.subarray(at, at + size))
      scanner.end()
      expect(places).toEqual(wanted)
    }
  })

  const declared = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><a>Bär ${'x'.repeat(300)}</a>`
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  test.each([
    ['UTF-8', Buffer.from(declared('UTF-8'))],
    ['UTF-8 with its mark', Buffer.from(`\uFEFF${declared('utf-8')}`)],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1'), 'latin1')],
    ['UTF-16 with its mark', utf16(`\uFEFF${declared('UTF-16')}`)],
    ['UTF-16 without it', utf16(declared('UTF-16'))],
    ['UTF-16, the other way round', utf16(`\uFEFF${declared('UTF-16')}`).swap16()],
  ])('%s', async (_name, file) => {
    expect((await parse(file)).inside[0]).toMatch(/^Bär x+$/)
  })
})

describe('what is refused, with its place', () => {
  const laughs = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>'
  test.each([
    ['a document type', `<?xml version="1.0"?>\n${laughs}`, 'XML_DOCTYPE', 2, 1],
    ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'XML_DOCTYPE', 1, 1],
    ['an entity of its own', '<a>\n  <b>&own;</b></a>', 'XML_MALFORMED', 2, 6],
    ['an entity named like a method', '<a>\n  <b>&toString;</b></a>', 'XML_MALFORMED', 2, 6],
    ['a bare ampersand', '<a>Müller & Co</a>', 'XML_MALFORMED', 1, 4],
    ['a character that is none', '<a>&#xD800;</a>', 'XML_MALFORMED', 1, 4],
    ['another end', '<a>\n<b></a>', 'XML_MALFORMED', 2, 4],
    ['an end too much', '<a></a>\n</b>', 'XML_MALFORMED', 2, 1],
    ['no end', '<a>\n<b></b>\n', 'XML_MALFORMED', 3, 1],
    ['an end in a tag', '<a><b', 'XML_MALFORMED', 1, 4],
    ['a second root', '<a/><b/>', 'XML_MALFORMED', 1, 5],
    ['text outside', 'hello <a/>', 'XML_MALFORMED', 1, 1],
    ['nothing', '  \n', 'XML_MALFORMED', 2, 1],
    ['an attribute without quotes', '<a b=c/>', 'XML_MALFORMED', 1, 1],
    ['an attribute twice', '<a b="1" b="2"/>', 'XML_MALFORMED', 1, 1],
    ['a tag in an attribute', '<a b="<"/>', 'XML_MALFORMED', 1, 1],
    ['a name that is none', '<1/>', 'XML_MALFORMED', 1, 1],
    ['depth', '<a>'.repeat(65), 'XML_TOO_DEEP', 1, 193],
    ['a text without end', `<a>${'x'.repeat(300_000)}`, 'XML_TOO_LARGE', 1, 4],
    ['bytes that are not UTF-8', Buffer.from('<a>\n\xE4</a>', 'latin1'), 'XML_ENCODING', 2, 1],
    ['another encoding', '<?xml version="1.0" encoding="EBCDIC"?><a/>', 'XML_ENCODING', 1, 1],
    ['one that is a method', '<?xml version="1.0" encoding="valueOf"?><a/>', 'XML_ENCODING', 1, 1],
    [
      'one of every object',
      '<?xml version="1.0" encoding="constructor"?><a/>',
      'XML_ENCODING',
      1,
      1,
    ],
  ])('%s', async (_name, file, code, line, column) => {
    expect(await refusal(file)).toMatchObject({ code, line, column })
  })
})

import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvError, detectCsv, readCsv, writeCsvRow, type CsvOptions } from './index.ts'

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % Math.max(sizes.length, 1)] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

/** All rows; the reader puts small pieces together, so `sizes` above 16 KiB are real cuts. */
async function read(text: string | Uint8Array, options?: CsvOptions, sizes: number[] = []) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const rows: { line: number; values: readonly string[] }[] = []
  for await (const batch of readCsv(cut(bytes, sizes), options)) rows.push(...batch)
  return rows
}

async function mistake(text: string | Uint8Array, options?: CsvOptions): Promise<CsvError> {
  const error: unknown = await read(text, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof CsvError)) throw new Error('it was read', { cause: error })
  return error
}

const values = (rows: Awaited<ReturnType<typeof read>>) => rows.map((row) => row.values)

describe('what is read', () => {
  test.each([
    ['LF, CRLF and CR', 'a,b\n1,2\r\n3,4\r5,6', [1, 2, 3, 4]],
    ['empty lines', '\n\na,b\r\n\r\n1,2\n\n\n', [3, 5]],
    ['lines inside quotes', '"a\n\r\nb",c\n1,2\r"x\ry",z\n5,6\n', [1, 4, 5, 7]],
    ['no end of the last line', 'a,b\n"1","2"', [1, 2]],
  ])('%s, by line', async (_, text, lines) => {
    expect((await read(text)).map(({ line }) => line)).toEqual(lines)
  })

  test('quotes, doubled quotes and empty fields', async () => {
    expect(values(await read('"a ""b""",,""\n,"",x\n'))).toEqual([
      ['a "b"', '', ''],
      ['', '', 'x'],
    ])
  })

  test('the mark of UTF-8 is no part of the first name', async () => {
    expect(values(await read('\uFEFFé,b\n'))).toEqual([['é', 'b']])
    expect(await read('\uFEFF')).toEqual([])
  })

  test('windows-1252', async () => {
    const bytes = Buffer.from([0x80, 0x2c, 0xe9, 0x0a])
    expect(values(await read(bytes, { encoding: 'windows-1252' }))).toEqual([['€', 'é']])
  })

  test('other delimiters', async () => {
    expect(values(await read('a;"b;c"\n', { delimiter: ';' }))).toEqual([['a', 'b;c']])
    expect(values(await read('a\tb\n', { delimiter: '\t' }))).toEqual([['a', 'b']])
  })

  test('rows come in batches', async () => {
    const sizes: number[] = []
    const file = Buffer.from('a,b\n'.repeat(2_500))
    for await (const batch of readCsv(cut(file, []), { batchRows: 1_000 })) sizes.push(batch.length)
    expect(sizes).toEqual([1_000, 1_000, 500])
  })
})

describe('how a file is written', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1')
  test.each([
    ['a,b\n1,2\n', ',', 'utf-8'],
    ['\uFEFFa;b\r\n1,5;2\r\n', ';', 'utf-8'],
    ['"a,b,c";d\n', ';', 'utf-8'],
    ['a\n', ',', 'utf-8'],
    ['', ',', 'utf-8'],
    ['\n\na;b', ';', 'utf-8'],
    [latin('a;ä\n1;é\n'), ';', 'windows-1252'],
    [latin('a;b\n1;é'), ';', 'windows-1252'],
    [Buffer.concat([Buffer.from('é,b\n'), latin('é,b\n')]), ',', 'utf-8'],
  ])('%j is seen, however it is cut', async (text, delimiter, encoding) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    for (const size of [1, 2, 7, 1_000]) {
      expect(await detectCsv(cut(bytes, [size]))).toEqual({ delimiter, encoding })
    }
  })

  test('in a file of many lines, a few bytes at a time', async () => {
    const file = latin('case;note\n'.concat('1;plain\n'.repeat(30_000), '2;Müller\n'))
    expect(await detectCsv(cut(file, [10_000]))).toEqual({
      delimiter: ';',
      encoding: 'windows-1252',
    })
  })
})

describe('what is refused', () => {
  const long = 'x'.repeat(9_000)
  test.each([
    ['a quote that is never closed', 'a,b\n1,"2\n3,4\n', 'CSV_UNCLOSED_QUOTE', 2, 2],
    ['a quote inside the text', 'a,b\n1,2"3"\n', 'CSV_MISPLACED_QUOTE', 2, 2],
    ['text after a quote', 'a,b\n"1"2,3\n', 'CSV_MISPLACED_QUOTE', 2, 1],
    ['a row too short', 'a,b\n1,2\n3\n', 'CSV_RAGGED_ROW', 3, undefined],
    ['a row too long', 'a,b\n"1\n",2\n3,4,5\n', 'CSV_RAGGED_ROW', 4, undefined],
    ['a field too large', `a,b\n1,${long}\n`, 'CSV_FIELD_TOO_LARGE', 2, 2],
    ['a quoted field too large', `a,b\n1,"${long}"\n`, 'CSV_FIELD_TOO_LARGE', 2, 2],
    ['too many columns', `a,b\n${'1,'.repeat(200)}\n`, 'CSV_TOO_MANY_COLUMNS', 2, undefined],
    ['too many quoted columns', `${'"1",'.repeat(200)}\n`, 'CSV_TOO_MANY_COLUMNS', 1, undefined],
    ['a NUL', 'a,b\n1,2\n3,\0\n', 'CSV_BINARY', 3, undefined],
  ])('%s', async (_, text, code, line, column) => {
    expect(await mistake(text)).toMatchObject({ code, line, column })
  })

  test('a row too large', async () => {
    const row = `${'x'.repeat(700)},`.repeat(100)
    expect(await mistake(`a\n${row}\n`)).toMatchObject({ code: 'CSV_ROW_TOO_LARGE', line: 2 })
    const quoted = `"${'x'.repeat(700)}",`.repeat(100)
    expect(await mistake(`a\n${quoted}\n`)).toMatchObject({ code: 'CSV_ROW_TOO_LARGE', line: 2 })
  })

  test.each([
    ['with its mark', Buffer.from('\uFEFFa,b\n', 'utf16le')],
    ['without', Buffer.from('a,b\n1,2\n', 'utf16le')],
    ['big-endian', Buffer.from('\uFEFFa,b\n', 'utf16le').swap16()],
  ])('UTF-16 %s', async (_, bytes) => {
    const error = await mistake(bytes)
    expect(error).toMatchObject({ code: 'CSV_ENCODING', line: 1 })
    expect(error.reason).toContain('UTF-16')
  })

  test('bytes that are not UTF-8, by line', async () => {
    const good = Buffer.from('é,ü\n'.repeat(30_000))
    const file = Buffer.concat([good, Buffer.from([0x61, 0xe9, 0x0a])])
    expect(await mistake(file)).toMatchObject({ code: 'CSV_ENCODING', line: 30_001 })
    expect(await mistake(Buffer.from([0x61, 0x0a, 0xc3]))).toMatchObject({ line: 2 })
    const marked = Buffer.from('\uFEFFa\n')
    const utf8 = await mistake(marked, { encoding: 'windows-1252' })
    expect(utf8.code).toBe('CSV_ENCODING')
  })

  test('a quote that is not closed takes no more than its bounds', async () => {
    let given = 0
    async function* endless() {
      yield Buffer.from('a,b\n1,"')
      for (; given < 64; given += 1) yield Buffer.from('x,\n'.repeat(20_000))
    }
    const reading = (async () => {
      for await (const _ of readCsv(endless()));
    })()
    await expect(reading).rejects.toMatchObject({ code: 'CSV_UNCLOSED_QUOTE', line: 2, column: 2 })
    expect(given).toBeLessThan(3)
  })

  test('the rows before a mistake are read', async () => {
    const seen: number[] = []
    const reading = (async () => {
      const file = Buffer.from(`a,b\n${'1,2\n'.repeat(20_000)}1,"`)
      for await (const batch of readCsv(cut(file, [17_000]))) seen.push(batch.length)
    })()
    await expect(reading).rejects.toMatchObject({ line: 20_002 })
    expect(seen.reduce((a, b) => a + b)).toBe(20_001)
  })
})

describe('against csv-parse', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r', ' ', '0') })
  const table = fc
    .integer({ min: 1, max: 5 })
    .chain((columns) => fc.array(fc.array(cell, { minLength: columns, maxLength: columns })))
  interface Style {
    readonly end: string
    readonly quoteAll: boolean
    readonly mark: boolean
    readonly closed: boolean
  }
  const style: fc.Arbitrary<Style> = fc.record({
    end: fc.constantFrom('\n', '\r\n', '\r'),
    quoteAll: fc.boolean(),
    mark: fc.boolean(),
    closed: fc.boolean(),
  })

  /** Of another hand than ours. */
  const writeCsv = (rows: string[][], { end, quoteAll, mark, closed }: Style) => {
    const lines = rows.map((row) =>
      row
        .map((value) =>
          quoteAll || value === '' || /[",\r\n]/.test(value)
            ? `"${value.replaceAll('"', '""')}"`
            : value,
        )
        .join(','),
    )
    return (mark ? '\uFEFF' : '') + lines.join(end) + (closed && rows.length > 0 ? end : '')
  }

  test('any table, cut anywhere, reads the same', async () => {
    const padding = fc.constantFrom(0, 16_380, 16_384, 40_000)
    await fc.assert(
      fc.asyncProperty(
        table,
        style,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        padding,
        async (rows, how, sizes, pad) => {
          // Empty lines before it bring the cuts of pieces to every place of the table.
          const text = writeCsv(rows, how)
          const bytes = Buffer.from(
            how.mark ? `\uFEFF${'\n'.repeat(pad)}${text.slice(1)}` : '\n'.repeat(pad) + text,
          )
          const ours = await read(
            bytes,
            {},
            sizes.map((size) => size + (pad > 0 ? 16_384 - 5 : 0)),
          )
          expect(values(ours)).toEqual(rows)
          const theirs = parse(bytes, {
            bom: true,
            skip_empty_lines: true,
            record_delimiter: ['\r\n', '\n', '\r'],
          })
          expect(values(ours)).toEqual(theirs)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('what one of them refuses, the other does too', async () => {
    const soup = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é') })
    await fc.assert(
      fc.asyncProperty(soup, async (text) => {
        const theirs = (() => {
          try {
            return parse(text, { skip_empty_lines: true, record_delimiter: ['\r\n', '\n', '\r'] })
          } catch {
            return 'refused'
          }
        })()
        const ours = await read(text).then(values, () => 'refused')
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 500 },
    )
  })

  test('what is written is read again', async () => {
    const safe = cell.filter((text) => !/^\s/.test(text))
    await fc.assert(
      fc.asyncProperty(fc.array(safe, { minLength: 1, maxLength: 5 }), async (row) => {
        expect(values(await read(writeCsvRow(row)))).toEqual([row])
      }),
    )
  })
})

describe('writeCsvRow', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-12.50', "'-12.50"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ['＠x', "'＠x"],
    ['a=1', 'a=1'],
    ['say "x"', '"say ""x"""'],
  ])('%j is safe in a spreadsheet', (value, cell) => {
    expect(writeCsvRow([value, 1])).toBe(`${cell},1\r\n`)
  })

  test('numbers stay numbers', () => {
    const numeric = new Set([0, 1])
    const row = ['-12.50', '-1+1', -3, -4n, true, null, undefined]
    expect(writeCsvRow(row, { numeric })).toBe("-12.50,'-1+1,-3,-4,true,,\r\n")
  })
})

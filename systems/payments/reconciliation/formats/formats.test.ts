import { makeZip } from '@posthorn/bulk/zip/testing'
import { describe, expect, test } from 'vitest'
import type { Rules } from '../profiles/rules.ts'
import { STANDARD_RULES } from '../profiles/standard.ts'
import { fieldError, type BankRecord } from '../profiles/statement-reader.ts'
import { Findings, balanceCounts } from './findings.ts'
import { formatOf, refuseOthers } from './format.ts'
import { readStatement } from './read-statement.ts'
import { CAMT_02, CAMT_08, MT940_DUTCH, MT940_GERMAN } from './testing/samples.ts'

async function read(file: string, rules: Partial<Rules> = {}) {
  const bytes = Buffer.from(file)
  const all = { ...STANDARD_RULES, ...rules }
  const findings = new Findings()
  const records: BankRecord[] = []
  const reading = {
    bytes: (async function* () {
      yield bytes
    })(),
    rules: all,
    findings,
  }
  for await (const batch of readStatement(formatOf(bytes, { rules: all }), reading))
    records.push(...batch)
  return {
    records,
    brief: records.map(({ line, externalTransactionId: id, amount, currency, bookedOn, fee }) => [
      line,
      id,
      amount,
      currency,
      bookedOn,
      ...(fee === undefined ? [] : [fee]),
    ]),
    errors: findings.mistakes.map(fieldError),
    statements: findings.statements,
    pending: findings.pending,
  }
}

const ids = async (file: string, rules: Partial<Rules>) =>
  (await read(file, rules)).records.map(({ externalTransactionId: id }) => id)

describe('camt.053', () => {
  test('of version 2: a fee, a batch with what it leaves over, a reversal, what is pending', async () => {
    const { brief, errors, statements, pending } = await read(CAMT_02)
    expect(errors).toEqual([])
    expect(brief).toEqual([
      [1, 'order-4711', 4_950, 'EUR', '2026-03-07', 50],
      [2, 'order-1', 10_000, 'EUR', '2026-03-07'],
      [3, 'tx-2', 4_000, 'EUR', '2026-03-07'],
      [4, '2026030700000002', 2_000, 'EUR', '2026-03-07'],
      [5, '2026030700000003', -2_000, 'EUR', '2026-03-07'],
    ])
    expect(pending).toBe(1)
    expect(statements).toEqual([
      {
        number: 1,
        currency: 'EUR',
        statementId: '0352C5320260307',
        account: 'DE02120300000000202051',
        page: '',
        from: '2026-03-06',
        to: '2026-03-07',
        sequence: 44,
        firstLine: 1,
        lastLine: 5,
        entries: 3,
        booked: '18950',
        opening: '100000',
        closing: '118950',
      },
    ])
    expect(balanceCounts(statements)).toEqual({ tied: 1, differing: 0, unknown: 0 })
  })

  test('of version 8: in an envelope, in yen, with a charge that is in the amount', async () => {
    const { brief, errors, statements } = await read(CAMT_08)
    expect(errors).toEqual([])
    expect(brief).toEqual([
      [1, 'in-1', 2_000, 'JPY', '2026-03-31', 50],
      [2, 'fee-of-march', -50, 'JPY', '2026-03-31'],
    ])
    expect(statements).toMatchObject([
      { account: '4711-0815', opening: '-500', closing: '1450', booked: '1950' },
    ])
  })

  test('by the references of the profile, or by a word of the text', async () => {
    expect((await ids(CAMT_02, { camtReferences: ['AcctSvcrRef'] }))[0]).toBe('2026030700000001')
    expect(await ids(CAMT_08, { camtReferences: ['UETR', 'CdtrRef'] })).toEqual([
      '7a0f0f6e-4a1c-4f0b-9d2e-0e5a3c1f8b77',
      'STMT-1/2',
    ])
    expect((await ids(CAMT_02, { textPattern: 'INV-####' })).slice(0, 2)).toEqual([
      'INV-2026',
      'order-1',
    ])
  })

  const wrong = (from: string | RegExp, to: string) => CAMT_08.replace(from, to)
  test.each([
    [
      'another message',
      wrong('camt.053.001.08', 'camt.054.001.08'),
      'line 3, column 1, Document',
      'is camt.054, not a statement: ask your bank for camt.053',
    ],
    [
      'no namespace',
      wrong(/ xmlns="[^"]*camt[^"]*"/, ''),
      'line 3, column 1, Document',
      'is in no namespace of ISO 20022 that is known: a statement is camt.053',
    ],
    [
      'nothing but its header',
      wrong(/<Stmt>[^]*<\/Stmt>/, ''),
      'line 1',
      'has no camt.053 statement (Stmt)',
    ],
    [
      'an amount with a comma',
      wrong('>2000<', '>20,00<'),
      'line 8, column 1, Ntry/Amt',
      'is not a number',
    ],
    [
      'decimals that yen do not have',
      wrong('>2000<', '>20.50<'),
      'line 8, column 1, Ntry/Amt',
      'has more than 0 decimals',
    ],
    [
      'no currency',
      wrong('<Amt Ccy="JPY">2000', '<Amt>2000'),
      'line 8, column 1, Ntry/Amt',
      'has no currency',
    ],
    [
      'neither credit nor debit',
      wrong('2000</Amt><CdtDbtInd>CRDT', '2000</Amt><CdtDbtInd>C'),
      'line 8, column 1, Ntry/CdtDbtInd',
      'is neither CRDT nor DBIT',
    ],
    [
      'no date',
      wrong('<BookgDt><Dt>2026-03-31</Dt></BookgDt>', ''),
      'line 8, column 1, Ntry/BookgDt',
      'is missing',
    ],
    [
      'a day that is none',
      wrong('<BookgDt><Dt>2026-03-31', '<BookgDt><Dt>2026-02-30'),
      'line 8, column 1, Ntry/BookgDt',
      'is not a date as yyyy-MM-dd',
    ],
    [
      'a balance that is none',
      wrong('>1450.000<', '>x<'),
      'line 7, column 128, Bal/Amt',
      'is not a number',
    ],
    [
      'a tag too much',
      wrong('</Stmt>', '</Stnt>'),
      'line 12, column 1',
      'closes an element that is not open',
    ],
  ])('%s has its place', async (_name, file, field, reason) => {
    expect((await read(file)).errors[0]).toEqual({ field, reason })
  })
})

describe('MT940', () => {
  test('of a German bank: parts that run over lines, a return, a reference of the bank', async () => {
    const { brief, errors, statements } = await read(MT940_GERMAN)
    expect(errors).toEqual([])
    expect(brief).toEqual([
      [6, 'order-4711-of-the-fifth of March', 5_000, 'EUR', '2026-03-07'],
      [9, 'B2260307', -2_000, 'EUR', '2026-03-07'],
      [12, 'ret-7', 550, 'EUR', '2026-03-07'],
    ])
    expect(statements).toMatchObject([
      { statementId: '00044', page: '001', sequence: 44, from: '2026-03-06', to: '2026-03-07' },
    ])
    expect(statements).toMatchObject([{ account: '10050000/0123456789', booked: '3550' }])
    expect(balanceCounts(statements)).toEqual({ tied: 1, differing: 0, unknown: 0 })
  })

  test('of a Dutch bank: two messages, the turn of the year, an account in debit', async () => {
    const { brief, errors, statements } = await read(MT940_DUTCH)
    expect(errors).toEqual([])
    expect(brief).toEqual([
      [8, 'web-99', 1_234, 'EUR', '2025-12-31'],
      [17, 'dup', -1_500, 'EUR', '2025-12-31'],
    ])
    expect(statements.map(({ opening, booked, closing }) => [opening, booked, closing])).toEqual([
      ['0', '1234', '1234'],
      ['1234', '-1500', '-266'],
    ])
  })

  test('by the references of the profile, or by a word of the text', async () => {
    expect(await ids(MT940_GERMAN, { mt940References: ['bank'] })).toEqual([
      'B1260307',
      'B2260307',
      '00044/12',
    ])
    expect((await ids(MT940_GERMAN, { textPattern: 'inv-*' }))[0]).toBe('INV-2026')
  })

  test.each([
    ['/EREF/INV/2026/001/', 'INV/2026/001'],
    ['/EREF/INV/2026/001/REMI/USTD//thanks/', 'INV/2026/001'],
    ['/TRTP/IDEAL/EREF//REMI/no reference', '0030'],
    ['/PREF/batch/EREF/a/b-c/CSID/x', 'a/b-c'],
  ])('a reference may have slashes: %s', async (text, id) => {
    const file = MT940_DUTCH.replace(/^:86:\/TRTP[^]*?(?=\n:62M:)/m, `:86:${text}`)
    expect((await read(file)).brief[0]?.[1]).toBe(id)
  })

  test('blanks stand for the booking date, and for none', async () => {
    const file = MT940_DUTCH.replace('2512311231C12,34', '251231    CR12,34')
    expect((await read(file)).brief[0]).toEqual([8, 'web-99', 1_234, 'EUR', '2025-12-31'])
  })

  test('a message that says nothing is none of a quiet day', async () => {
    const { errors } = await read(':20:TELEREPORTING\n:25:1\n:28C:1/1\n')
    expect(errors).toEqual([
      { field: 'line 1, :20:', reason: 'begins a message that says no balance' },
    ])
  })

  test('MT942 is called by its name', async () => {
    const interim = ':20:X\n:25:1\n:28C:1/1\n:34F:EURD0,\n:13D:2610301730+0000\n:61:2610301030D1,'
    expect((await read(interim)).errors).toEqual([
      {
        field: 'line 4, :34F:',
        reason:
          'is of MT942, a report during the day that says no balances: ask your bank for MT940',
      },
    ])
  })

  const wrong = (from: string, to: string) => MT940_DUTCH.replace(from, to)
  test.each([
    [
      'a balance that is none',
      wrong('C251230EUR0,', 'C251230EUR'),
      'line 7, :60F:',
      'is not a balance such as C260331EUR1234,56',
    ],
    [
      'a currency that is none',
      wrong('C251230EUR0,', 'C251230EUX0,'),
      'line 7, :60F:',
      'is in no currency of ISO 4217',
    ],
    [
      'a booking that is none',
      wrong('2512311231C', '251231X'),
      'line 8, :61:',
      'is not a booking such as 2603310331CR1234,56NTRFREF//BANKREF',
    ],
    ['a day that is none', wrong('2512311231C', '2513321231C'), undefined, undefined],
    [
      'decimals that euros do not have',
      wrong('12,34N654', '12,345N654'),
      'line 8, :61:',
      'has an amount that has more than 2 decimals',
    ],
    [
      'a booking before its message',
      wrong(':20:ABN AMRO BANK NV\n', ''),
      'line 4, :25:',
      'comes before a message begins (:20:)',
    ],
    [
      'a booking after the end',
      wrong(
        '-\n:20:ABN AMRO BANK NV\n:25:NL91ABNA0417164300\n:28:12301/2\n:60M:C251231EUR12,34\n',
        '',
      ),
      'line 12, :61:',
      'comes after the closing balance',
    ],
  ])('%s has its place', async (_name, file, field, reason) => {
    const [first] = (await read(file)).errors
    expect(first).toEqual(field === undefined ? undefined : { field, reason })
  })
})

describe('as large as banks write them', () => {
  const large = '25000000000'
  test('camt.053: lines and balances', async () => {
    const file = CAMT_08.replaceAll('JPY', 'IDR').replaceAll('>2000<', `>${large}.00000<`)
    const { brief, errors } = await read(file.replace('>1450.000<', '>24999999450<'))
    expect(errors).toEqual([])
    expect(brief[0]?.[2]).toBe(2_500_000_000_000)
  })

  test('MT940: lines and balances', async () => {
    const file = MT940_GERMAN.replaceAll('EUR', 'JPY')
      .replace(/,\d*/g, ',')
      .replace('C260306JPY1000,', 'C260306JPY1200000000000,')
    const { statements, errors } = await read(file)
    expect(errors).toEqual([])
    expect(statements[0]?.opening).toBe('1200000000000')
  })

  test('CSV: lines, and zeros past the digits of the currency', async () => {
    const csv = [
      'external_transaction_id,amount,currency,date',
      'a,12500000000.00,IDR,2026-11-02',
      'b,1000.00,JPY,2026-11-02',
      'c,10.0000,EUR,2026-11-02',
      'd,90071992547409.91,EUR,2026-11-02',
    ]
    const { records, errors } = await read(csv.join('\n'))
    expect(errors).toEqual([])
    expect(records.map(({ amount }) => amount)).toEqual([
      1_250_000_000_000,
      1_000,
      1_000,
      Number.MAX_SAFE_INTEGER,
    ])
    const wrong = ['e,1.000,EUR,2026-11-02', 'f,90071992547409.92,EUR,2026-11-02']
    expect((await read([csv[0], ...wrong].join('\n'))).errors).toEqual([
      {
        field: 'line 2, amount',
        reason: 'has three decimals or a thousands separator: set `thousands` in a profile',
      },
      { field: 'line 3, amount', reason: 'is too large' },
    ])
  })
})

describe('what a file is', () => {
  test.each([
    ['a,b\n1,2\n', undefined, 'csv'],
    ['external_transaction_id,amount\n', 'application/octet-stream', 'csv'],
    [`\uFEFF\n${CAMT_02}`, 'text/csv', 'camt.053'],
    ['<Document xmlns="x"/>', undefined, 'camt.053'],
    ['rubbish', 'application/xml; charset=utf-8', 'camt.053'],
    [MT940_GERMAN, 'text/plain', 'mt940'],
    [MT940_DUTCH, undefined, 'mt940'],
  ])('%#: is seen', (file, contentType, format) => {
    expect(formatOf(Buffer.from(file), { contentType, rules: STANDARD_RULES })).toBe(format)
  })

  test('UTF-16 is seen, and the profile has the last word', () => {
    const utf16 = Buffer.from(`\uFEFF${CAMT_08}`, 'utf16le')
    expect(formatOf(utf16, { rules: STANDARD_RULES })).toBe('camt.053')
    expect(formatOf(utf16, { rules: { ...STANDARD_RULES, format: 'csv' } })).toBe('csv')
  })

  test.each([
    ['an Excel workbook', makeZip([{ name: '[Content_Types].xml' }]), /Excel workbook. Save/],
    ['one of another program', makeZip([{ name: 'xl/workbook.xml' }]), /Save the sheet as CSV/],
    ['an old one', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0]), /Save the sheet as CSV/],
    ['a PDF', Buffer.from('%PDF-1.7'), /camt\.053, MT940 or CSV/],
    ['an archive', Buffer.from([0x1f, 0x8b, 8, 0]), /Unpack it/],
  ])('%s is refused with what to do', (_name, bytes, words) => {
    expect(() => refuseOthers(bytes, undefined)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: expect.stringMatching(words),
      }),
    )
  })
})

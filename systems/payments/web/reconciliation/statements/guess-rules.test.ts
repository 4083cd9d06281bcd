import { expect, test } from 'vitest'
import { previewOf } from '../../../reconciliation/profiles/preview.ts'
import { guessRules } from './guess-rules.ts'

/** What the server reads of a file by the rules that were guessed from it. */
async function readGuessed(file: string | Buffer) {
  const bytes = Buffer.from(file)
  const { rules, columns } = guessRules(bytes)
  const { rows, errors } = await previewOf(bytes, { rules: { ...rules }, isCut: false })
  expect(errors).toEqual([])
  return {
    rules,
    columns,
    records: rows.map(({ record, errors: wrong }) => {
      expect(wrong).toEqual([])
      return [record?.externalTransactionId, record?.amount, record?.currency, record?.bookedOn]
    }),
  }
}

test('a file of the standard form is guessed as such', async () => {
  const { records, rules } = await readGuessed(
    'external_transaction_id,amount,currency,date\nlamp,9.85,EUR,2026-03-07\n"a,b",-1250.00,USD,2026-03-08\n',
  )
  expect(rules).toMatchObject({ delimiter: ',', headerLine: 1, sign: 'signed', decimal: '.' })
  expect(records).toEqual([
    ['lamp', 985, 'EUR', '2026-03-07'],
    ['a,b', -125_000, 'USD', '2026-03-08'],
  ])
})

test('lines before the header, semicolons, Latin letters and German numbers', async () => {
  const file = Buffer.from(
    'Kontoauszug;Müller\n\nStand: 01.04.2026\nBuchung;Verwendungszweck;Betrag;Saldo\n' +
      '07.03.2026;größe_1;1.234,50;0,00\n08.03.2026;tx_2;-12,00;0,00\n',
    'latin1',
  )
  const { rules, columns } = guessRules(file)
  expect(rules).toMatchObject({
    ...{ delimiter: ';', encoding: 'windows-1252', headerLine: 4, decimal: ',', thousands: '.' },
    ...{ dateFormat: 'dd.MM.yyyy', sign: 'signed', currency: '' },
    columns: { externalTransactionId: 'Verwendungszweck', date: 'Buchung', amount: 'Betrag' },
  })
  expect(columns).toEqual(['Buchung', 'Verwendungszweck', 'Betrag', 'Saldo'])
})

test('a file in quotes whose sign is a word and whose currency is in the header', async () => {
  const { rules, records } = await readGuessed(
    '"Datum";"Naam / Omschrijving";"Rekening";"Af Bij";"Bedrag (EUR)";"Mededelingen"\n' +
      '"20260307";"Ada";"NL91ABNA0417164300";"Bij";"1234,50";"order 1; lamp"\n' +
      '"20260308";"Bob";"NL91ABNA0417164300";"Af";"9,85";"order 2"\n',
  )
  expect(rules).toMatchObject({ sign: 'flag', debitFlags: ['Af'], creditFlags: ['Bij'] })
  expect(records).toEqual([
    ['order 1; lamp', 123_450, 'EUR', '2026-03-07'],
    ['order 2', -985, 'EUR', '2026-03-08'],
  ])
})

test('two columns of amounts, American dates and tabs', async () => {
  const { rules, records } = await readGuessed(
    'Posted\tReference\tMoney out\tMoney in\tCurrency\tBalance\n' +
      '03/07/2026\tR-1\t\t1,234.50\tGBP\t2,000.00\n03/28/2026\tR-2\t12.00\t\tGBP\t1,988.00\n',
  )
  expect(rules).toMatchObject({ sign: 'debit-credit', delimiter: '\t', dateFormat: 'MM/dd/yyyy' })
  expect(records).toEqual([
    ['R-1', 123_450, 'GBP', '2026-03-07'],
    ['R-2', -1_200, 'GBP', '2026-03-28'],
  ])
})

test('no header: columns are positions', async () => {
  const { rules, columns, records } = await readGuessed(
    '2026-03-07,R-1,12.50,EUR\n2026-03-08,R-2,-3.00,EUR\n',
  )
  expect(rules).toMatchObject({
    headerLine: null,
    columns: { externalTransactionId: 2, date: 1, amount: 3, currency: 4 },
  })
  expect(columns).toEqual(['1', '2', '3', '4'])
  expect(records[0]).toEqual(['R-1', 1_250, 'EUR', '2026-03-07'])
})

test('what is no table is guessed as nothing in particular', () => {
  for (const text of ['', 'hello', '<a,b>\n<c,d>', ':20:a,b\n:21:c,d', '\n\n\n', ';;;\n;;;\n']) {
    expect(guessRules(Buffer.from(text)).rules.dateFormat).toBe('yyyy-MM-dd')
  }
})

import { expect, test } from 'vitest'
import { STANDARD_RULES } from '../profiles/standard.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { Findings } from './findings.ts'
import { readStatement } from './read-statement.ts'

/*
 * Facts about MT940 files of banks that are public, in the tests of the Python package mt940: how many
 * bookings each has and what they come to as that package reads them, and how each writes dates, marks
 * and amounts. The messages here are ours.
 */
const FACTS = [
  [
    'ASN: blanks for the booking date',
    'EUR',
    5_694,
    '200101    D65,00|2001050105C1000,00|2001050105D801,55|2001250125D1,65|2001290129C828,72|2001290129D1000,00|2001310131C1000,18|200131    D903,76',
  ],
  [
    'Citi: blanks, a letter of the currency, amounts of nothing',
    'USD',
    -114_275,
    '240312    DD212,39|240312    DD369,28|240312    CD0,00|240312    CD0,00|240312    DD561,08',
  ],
  [
    'ABN AMRO: amounts without decimals',
    'EUR',
    -34_593,
    '1105240524D9,|1105210523D11,59|1105230523D11,63|1105220523D11,8|1105210523D13,45|1105210523D15,49|1105210523D107,|1105220523D141,48|1105240524D9,49|1105240524D15,',
  ],
  [
    'ING: no booking date',
    'EUR',
    -4_559,
    '100722D25,03|100722D3,03|100722D1,11|100722D20,00|100722D1,10|100722C3,68|100723C1,00',
  ],
  ['Knab', 'EUR', -626_000, '1405070507C500,|1407290729D7260,|1407290729C500'],
  [
    'PostFinance: one decimal',
    'CHF',
    15_940,
    '1312091209C79,7|1312091209C149,5|1312161216D79,9|1312181218C10,1',
  ],
  [
    'Rabobank: amounts with zeros before them',
    'EUR',
    -158_909,
    '110527D000000001213,28|110617D000000000044,95|110721D000000000236,56|120829D000000000088,10|120829D000000000006,20',
  ],
  ['mBank', 'PLN', 3, '1701190119CN0,01|1701190119CN0,01|1701190119CN0,01'],
  ['Sberbank', 'HUF', -943_700, '1710111011DF2402,00|1710111011DF3460,00|1710111011DF3575,00'],
  [
    'Raiffeisen',
    'HUF',
    -101_221_350,
    '180417CF2066637,00|180417DF14790,00|180417DF3051800,00|180417DF3892,77|180417DF789,24|180417DF1578,49|180417DF6000,00',
  ],
  ['a value date that the calendar does not have', 'EUR', -600, '1602300301DR6,00'],
  ['SNS', 'EUR', -2_500, '1206070608D20,00|1206080608D5,00'],
  ['Triodos', 'EUR', -71_570, '110101D15,70|110125D700,00'],
  [
    'Rabobank with IBANs',
    'EUR',
    -7_000,
    '130101D000000000025,00|130102D000000000010,00|130108D000000000025,00|130109D000000000010,00',
  ],
  ['mBank: a letter of the currency', 'PLN', 8_900, '1702010201CN45,00|1702010201CN44,00'],
  [
    'a German bank, with control characters in its texts',
    'EUR',
    -17_906_675,
    '1003190319CR27,00|1003190319CR13068,30|1003190319DR193282,05|1003220319CR1120,00',
  ],
  [
    'SEPA of a German bank',
    'EUR',
    -214_332_339,
    '0709070904CR50990,05|0709070904CR154551,93|0709070904CR154551,93|0709040904DR1500,00|0709040904DR0,08|0709040904CR335,33|0709040904CR15000,|0709040904CR15000,05|0709040904CR125004,88|0709040904CR915311,55|0709040904DR3572569,03',
  ],
] as const

async function read(format: 'camt.053' | 'mt940', file: string) {
  const findings = new Findings()
  const records: BankRecord[] = []
  const bytes = (async function* () {
    yield Buffer.from(file)
  })()
  for await (const batch of readStatement(format, { bytes, rules: STANDARD_RULES, findings })) {
    records.push(...batch)
  }
  expect(findings.mistakes).toEqual([])
  return { records, statements: findings.statements }
}

test.each(FACTS)('MT940 as %s writes it', async (_name, currency, sum, written) => {
  const entries = written.split('|')
  const file = [
    ':20:OURS',
    ':25:ACCOUNT',
    ':28C:1/1',
    `:60F:C000101${currency}0,`,
    ...entries.map((entry, i) => `:61:${entry}NTRFours-${i}`),
  ].join('\r\n')
  const { records, statements } = await read('mt940', file)
  expect(records).toHaveLength(entries.length)
  expect(records.reduce((all, { amount }) => all + amount, 0)).toBe(sum)
  expect(statements).toMatchObject([{ currency, booked: String(sum) }])
})

/** The same of the camt.053 files in the tests of the PHP package genkgo/camt: one booking of 8.85 each. */
test.each([
  ['02', '8.85'],
  ['02', '8.850'],
  ['02', '8.85000'],
  ['03', '8.85'],
  ['04', '8.85'],
  ['08', '8.85'],
])('camt.053 of version %s with %s', async (version, amount) => {
  const status = version === '08' ? '<Sts><Cd>BOOK</Cd></Sts>' : '<Sts>BOOK</Sts>'
  const { records, statements } = await read(
    'camt.053',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
     <Stmt><Id>S</Id><Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>${status}
     <BookgDt><DtTm>2026-03-07T10:00:00+01:00</DtTm></BookgDt></Ntry></Stmt>
     </BkToCstmrStmt></Document>`,
  )
  expect(records).toMatchObject([{ amount: 885, bookedOn: '2026-03-07' }])
  expect(statements).toMatchObject([{ entries: 1, booked: '885' }])
})

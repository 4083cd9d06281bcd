import type { FieldError } from '@posthorn/http'
import type { CsvOptions } from '@posthorn/bulk/csv'
import { Type, type Static } from 'typebox'
import { Currency, exponentOf, Id, resource, time, type RowOf } from '@posthorn/system'
import { FORMATS } from '../formats/format.ts'
import { CAMT_REFERENCES, MT940_REFERENCES } from '../formats/references.ts'
import { datePattern } from './amount.ts'
import { AMOUNT_COLUMNS } from './standard.ts'

/** By its name in the header, or by its position from 1. */
const Column = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Integer({ minimum: 1, maximum: 200 }),
])

const Flags = Type.Array(Type.String({ minLength: 1, maxLength: 20 }), {
  minItems: 1,
  maxItems: 10,
})

/** Which columns each sign needs, and that one of two places names the currency. */
const CONDITIONS = {
  allOf: [
    ...Object.entries(AMOUNT_COLUMNS).map(([sign, wanted]) => ({
      // Left out, it is `signed`.
      if: {
        properties: { sign: { const: sign } },
        ...(sign !== 'signed' && { required: ['sign'] }),
      },
      then: {
        properties: { columns: { required: wanted } },
        ...(sign === 'flag' && { required: ['debitFlags', 'creditFlags'] }),
      },
    })),
    {
      oneOf: [
        { required: ['currency'] },
        { properties: { columns: { required: ['currency'] } }, required: ['columns'] },
      ],
    },
  ],
}

/** How the files of a bank are written. What is left out is as in a file that needs no profile. */
export const Rules = Type.Object(
  {
    delimiter: Type.Enum([',', ';', '\t', '|'], { default: ',' }),
    encoding: Type.Enum(['utf-8', 'windows-1252', 'latin1'], {
      default: 'utf-8',
      description: 'Encoding; `latin1` is read as its superset windows-1252',
    }),
    headerLine: Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Null()], {
      default: 1,
      description: 'Number of the line with the column names; null: none',
    }),
    columns: Type.Object({
      externalTransactionId: Column,
      date: Column,
      currency: Type.Optional(Column),
      amount: Type.Optional(Column),
      debit: Type.Optional(Column),
      credit: Type.Optional(Column),
      flag: Type.Optional(Column),
    }),
    sign: Type.Enum(['signed', 'debit-credit', 'flag'], {
      default: 'signed',
      description:
        'How a row shows its sign: `signed` in the column `amount`; `debit-credit` by the column that has the amount; `flag` in the column `flag`',
    }),
    debitFlags: Type.Optional(Flags),
    creditFlags: Type.Optional(Flags),
    currency: Type.Optional({
      ...Currency,
      description: 'Currency of every row, if no column has it',
    }),
    decimal: Type.Enum(['.', ','], { default: '.' }),
    thousands: Type.Enum(['', ',', '.', ' ', "'"], { default: '' }),
    dateFormat: Type.String({
      minLength: 4,
      maxLength: 40,
      default: 'yyyy-MM-dd',
      description:
        'Date format, made of `yyyy`, `yy`, `MM`, `M`, `dd`, `d`, `HH`, `mm`, `ss` and separators',
    }),
    format: Type.Optional(
      Type.Enum([...FORMATS], {
        description: 'File format; default: detected. The rules for columns apply to `csv` only',
      }),
    ),
    camtReferences: Type.Optional(
      Type.Array(Type.Enum([...CAMT_REFERENCES]), {
        minItems: 1,
        maxItems: CAMT_REFERENCES.length,
        uniqueItems: true,
        description:
          'For camt.053: references to take the transaction id from; the first one present wins. Default `EndToEndId`, `TxId`, `InstrId`, `AcctSvcrRef`, `NtryRef`',
      }),
    ),
    mt940References: Type.Optional(
      Type.Array(Type.Enum([...MT940_REFERENCES]), {
        minItems: 1,
        maxItems: MT940_REFERENCES.length,
        uniqueItems: true,
        description:
          'For MT940: references to take the transaction id from, `customer` and `bank` in field 61, the others in field 86; the first one present wins. Default `EREF`, `customer`, `KREF`, `bank`',
      }),
    ),
    textPattern: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9#*/_.\\-]{3,40}$',
        description:
          'For camt.053 and MT940: pattern of a word in the remittance text to use as transaction id, before any reference. `#` is a digit, `*` any letters and digits, as in `INV-####`',
      }),
    ),
    balances: Type.Optional(
      Type.Enum(['report', 'require'], {
        description:
          'For camt.053 and MT940, when balances do not tie out: `report` (default) loads the file with a warning, `require` refuses it',
      }),
    ),
  },
  { documented: CONDITIONS },
)
export type Rules = Static<typeof Rules>

export const Version = Type.Integer({ minimum: 1 })

export const ProfileResource = Type.Object({
  id: Id,
  name: Type.String(),
  version: Version,
  rules: Rules,
  createdAt: time(),
  updatedAt: time(),
})

/** A profile with its current rules. */
export type Profile = RowOf<typeof ProfileResource>

export const VersionResource = Type.Object({
  version: Version,
  rules: Rules,
  createdBy: Type.String(),
  createdAt: time(),
})

export const profileResource = resource(ProfileResource)
export const versionResource = resource(VersionResource)

/** How the reader has to look at a file; ragged rows are reported with the other mistakes. */
export function csvOptions({ delimiter, encoding }: Rules): CsvOptions {
  return {
    delimiter,
    encoding: encoding === 'utf-8' ? 'utf-8' : 'windows-1252',
    ragged: 'yield',
  }
}

/** What makes no sense together; empty if the rules can be used. */
export function mistakesIn(rules: Rules): FieldError[] {
  const mistakes: FieldError[] = []
  const wrong = (field: string, reason: string) => void mistakes.push({ field, reason })
  const wanted: readonly string[] = AMOUNT_COLUMNS[rules.sign]
  for (const name of ['amount', 'debit', 'credit', 'flag'] as const) {
    const isThere = rules.columns[name] !== undefined
    if (isThere === wanted.includes(name)) continue
    const reason = isThere ? 'is not used with this sign' : 'is required with this sign'
    wrong(`columns.${name}`, reason)
  }
  if ((rules.columns.currency === undefined) === (rules.currency === undefined)) {
    wrong('currency', 'is needed once: as a column or the same for every row')
  }
  if (rules.currency !== undefined && exponentOf(rules.currency) === undefined) {
    wrong('currency', 'must be a currency of ISO 4217')
  }
  const columns = Object.entries(rules.columns)
  for (const [name, column] of columns) {
    if (rules.headerLine === null && typeof column === 'string') {
      wrong(`columns.${name}`, 'must be a position where there is no header')
    }
    if (columns.some(([other, same]) => other < name && same === column)) {
      wrong(`columns.${name}`, 'is a column that is used already')
    }
  }
  if (rules.thousands === rules.decimal) wrong('thousands', 'is the decimal sign already')
  if (datePattern(rules.dateFormat) === undefined) {
    wrong('dateFormat', 'must have a year, a month and a day, once each')
  }
  if (rules.textPattern !== undefined && (rules.textPattern.match(/\*/g) ?? []).length > 2) {
    wrong('textPattern', 'has more than two *')
  }
  mistakes.push(...flagMistakes(rules))
  return mistakes
}

function flagMistakes({ sign, debitFlags, creditFlags }: Rules): FieldError[] {
  if (sign !== 'flag') {
    const reason = 'is not used with this sign'
    return [
      ...(debitFlags ? [{ field: 'debitFlags', reason }] : []),
      ...(creditFlags ? [{ field: 'creditFlags', reason }] : []),
    ]
  }
  const reason = 'is required with this sign'
  if (!debitFlags) return [{ field: 'debitFlags', reason }]
  if (!creditFlags) return [{ field: 'creditFlags', reason }]
  const both = debitFlags.some((flag) => creditFlags.includes(flag))
  return both ? [{ field: 'creditFlags', reason: 'has a flag that means debit too' }] : []
}

import { Type } from 'typebox'
import { FORMATS } from '../formats/format.ts'

const Id = Type.String({ format: 'uuid' })

export const CurrencySums = Type.Array(
  Type.Object({
    currency: Type.String(),
    records: Type.Integer(),
    amount: Type.String({ description: 'minor units; text, since it may be very large' }),
  }),
)

/** How many balances of a file tie out: opening balance and entries give the closing one. */
export const Balances = Type.Union(
  [
    Type.Object({ tied: Type.Integer(), differing: Type.Integer(), unknown: Type.Integer() }),
    Type.Null(),
  ],
  { description: 'by statement and currency; null where the format has none' },
)

export const uploadFile = {
  tags: ['reconciliation'],
  summary: 'Load a file of a bank, all of it or nothing',
  description:
    'The body is the file, or a form with one (`multipart/form-data`). Its content shows what it is: camt.053 (ISO 20022), MT940 (SWIFT), or CSV with the columns `external_transaction_id`, `amount` in major units, `currency` and `date`, in any order, unless a profile says otherwise. A workbook (XLSX) is 415: save it as CSV.',
  consumes: [
    'text/csv',
    'application/xml',
    'text/plain',
    'application/octet-stream',
    'multipart/form-data',
  ],
  querystring: Type.Object({
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[^\\u0000-\\u001f\\u007f]+$',
        description: 'default what the form says, else `upload.csv`',
      }),
    ),
    profile: Type.Optional(Id),
    uploadId: Type.Optional({
      ...Id,
      description: 'any new one: `/api/v1/stream` tells under it how far the upload is',
    }),
  }),
  response: {
    201: Type.Object({
      id: Id,
      filename: Type.String(),
      format: Type.Enum([...FORMATS]),
      total: Type.Integer(),
      duplicates: Type.Integer({ description: 'records that say the same as an earlier one' }),
      sums: CurrencySums,
      bytes: Type.Integer(),
      sha256: Type.String(),
      pending: Type.Integer({ description: 'entries that are not booked, and no records' }),
      balances: Balances,
      profile: Type.Union([Type.Object({ id: Id, version: Type.Integer() }), Type.Null()]),
    }),
  },
}

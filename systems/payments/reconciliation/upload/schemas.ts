import { Type } from 'typebox'

const Id = Type.String({ format: 'uuid' })

export const CurrencySums = Type.Array(
  Type.Object({
    currency: Type.String(),
    records: Type.Integer(),
    amount: Type.String({ description: 'minor units; text, since it may be very large' }),
  }),
)

export const uploadFile = {
  tags: ['reconciliation'],
  summary: 'Load a file of a bank, all of it or nothing',
  description:
    'The body is the file (`text/csv`), or a form with one (`multipart/form-data`). Columns `external_transaction_id`, `amount` in major units, `currency` and `date`, in any order, unless a profile says otherwise.',
  consumes: ['text/csv', 'multipart/form-data'],
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
      total: Type.Integer(),
      duplicates: Type.Integer({ description: 'records that say the same as an earlier one' }),
      sums: CurrencySums,
      bytes: Type.Integer(),
      sha256: Type.String(),
      profile: Type.Union([Type.Object({ id: Id, version: Type.Integer() }), Type.Null()]),
    }),
  },
}

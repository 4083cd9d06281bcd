/** A file that needs no profile. */
export const STANDARD_RULES = {
  delimiter: ',',
  encoding: 'utf-8',
  headerLine: 1,
  columns: {
    externalTransactionId: 'external_transaction_id',
    amount: 'amount',
    currency: 'currency',
    date: 'date',
  },
  sign: 'signed',
  decimal: '.',
  thousands: '',
  dateFormat: 'yyyy-MM-dd',
} as const

/** Which columns the amount is in, by where its sign is. */
export const AMOUNT_COLUMNS = {
  signed: ['amount'],
  'debit-credit': ['debit', 'credit'],
  flag: ['amount', 'flag'],
} as const

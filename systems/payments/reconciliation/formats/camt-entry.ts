import { exponentOf } from '@posthorn/system'
import { ExactSum } from '../reason.ts'
import { datePattern } from '../profiles/amount.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { ELEMENTS, type CamtField, type CamtNode } from './camt-tree.ts'
import { firstReference, type CamtReference, type ReferenceRules } from './references.ts'
import { readSigned, type RawAmount, type SignedAmount } from './statement-amount.ts'

/** What an entry gives; its number comes when it is stored. */
type Found = Omit<BankRecord, 'line'>

interface Charge {
  amount: RawAmount | undefined
  sign: string | undefined
  isIncluded: boolean
}

/** One payment inside an entry. */
interface Transaction {
  readonly references: Partial<Record<CamtReference, string>>
  amount: RawAmount | undefined
  /** Before what was taken off. */
  gross: RawAmount | undefined
  sign: string | undefined
  text: string
  readonly charges: Charge[]
}

const day = datePattern('yyyy-MM-dd')
const LONGEST_ID = 255
const MOST_CHARGES = 50
const MOST_MISTAKES = 20
const LONGEST_TEXT = 2_000
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F]/

/**
 * One entry of a statement while it is read. An entry of one payment is one record, of the amount that
 * was booked; a batch is a record for each payment that says its amount, and one more for what they
 * leave over: records always add up to what was booked. Payments come after what they have in common,
 * and only one of them is kept: a batch may have a million.
 */
export class CamtEntry {
  readonly mistakes: { readonly element: string | undefined; readonly reason: string }[] = []
  readonly #rules: ReferenceRules<CamtReference>
  readonly #own: Partial<Record<CamtReference, string>> = {}
  readonly #charges: Charge[] = []
  #amount: RawAmount | undefined
  #sign: string | undefined
  #status: string | undefined
  #bookedOn: string | undefined
  #valuedOn: string | undefined
  #text = ''
  #transaction: Transaction | undefined
  #transactions = 0
  #read: (SignedAmount & { readonly date: string }) | undefined
  /** What the payments of a batch came to so far. */
  readonly #listed = new ExactSum()

  constructor(rules: ReferenceRules<CamtReference>) {
    this.#rules = rules
  }

  /** Whether the bank has not booked it: it may never do so. */
  get isPending(): boolean {
    return this.#status !== undefined && this.#status !== 'BOOK'
  }

  /** What was booked; undefined where that is wrong. */
  get booked(): { readonly amount: number; readonly currency: string } | undefined {
    return this.#read !== undefined && 'amount' in this.#read ? this.#read : undefined
  }

  set(node: CamtNode, text: string, currency: string | undefined): void {
    const { field } = node
    if (field === 'entry.amount') this.#amount = { text, currency }
    else if (field === 'entry.sign') this.#sign = text
    else if (field === 'entry.status') this.#status = text
    else if (field === 'entry.booked') this.#bookedOn = text
    else if (field === 'entry.valued') this.#valuedOn = text
    else if (field === 'entry.NtryRef') this.#own.NtryRef = text
    else if (field === 'entry.AcctSvcrRef') this.#own.AcctSvcrRef = text
    else if (field === 'entry.text') this.#text = text
    else if (field === 'charge.amount' || field === 'charge.sign' || field === 'charge.included') {
      this.#setCharge(field, text, currency)
    } else if (this.#transaction) setTransaction(this.#transaction, { node, text, currency })
  }

  /** Begins a payment; gives the record of the one before, if the entry is a batch. */
  beginTransaction(): readonly Found[] {
    const records = this.#transactions > 0 ? this.#endOfBatch() : []
    this.#transactions += 1
    this.#transaction = {
      references: {},
      amount: undefined,
      gross: undefined,
      sign: undefined,
      text: '',
      charges: [],
    }
    return records
  }

  beginCharge(): void {
    const charges = this.#transaction?.charges ?? this.#charges
    if (charges.length >= MOST_CHARGES) return
    charges.push({ amount: undefined, sign: undefined, isIncluded: false })
  }

  /** The records that are left when it ends. */
  end(): readonly Found[] {
    const read = this.#begin()
    if (!('amount' in read)) return []
    const { amount, currency, date } = read
    if (this.#transactions > 1) {
      const records = this.#endOfBatch()
      const rest = Number(BigInt(amount) - this.#listed.value)
      if (rest === 0) return records
      return [...records, this.#record(undefined, { amount: rest, currency, date })]
    }
    const transaction = this.#transaction
    const record = this.#record(transaction, { amount, currency, date })
    const fee = this.#feeOf(transaction, amount, currency)
    return [fee === 0 ? record : { ...record, fee }]
  }

  #setCharge(field: CamtField, text: string, currency: string | undefined): void {
    const charge = (this.#transaction?.charges ?? this.#charges).at(-1)
    if (charge === undefined) return
    if (field === 'charge.amount') charge.amount = { text, currency }
    else if (field === 'charge.sign') charge.sign = text
    else charge.isIncluded = text === 'true' || text === '1'
  }

  /** What all its records have in common, once it is known: before its first payment. */
  #begin(): SignedAmount & { readonly date: string } {
    if (this.#read !== undefined) return this.#read
    const read = readSigned(this.#amount, this.#sign)
    if ('mistake' in read) this.#wrong(`entry.${read.field}`, read.mistake)
    if (this.#status === undefined) this.#wrong('entry.status', 'is missing')
    const isBooked = this.#bookedOn !== undefined
    const given = this.#bookedOn ?? this.#valuedOn
    const date = given === undefined ? undefined : day?.(given.slice(0, 10))
    if (date === undefined) {
      const reason = given === undefined ? 'is missing' : 'is not a date as yyyy-MM-dd'
      this.#wrong(isBooked || given === undefined ? 'entry.booked' : 'entry.valued', reason)
    }
    this.#read = { ...read, date: date ?? '' }
    return this.#read
  }

  /** The record of a payment of a batch; none if it does not say its amount. */
  #endOfBatch(): readonly Found[] {
    const read = this.#begin()
    const transaction = this.#transaction
    if (!('amount' in read) || transaction === undefined || this.isPending) return []
    const raw = [transaction.amount, transaction.gross].find(
      (each) => each?.currency === read.currency,
    )
    if (raw === undefined) return []
    const signed = readSigned(raw, transaction.sign ?? this.#sign)
    if ('mistake' in signed) {
      const field = signed.field === 'sign' ? 'sign' : transaction.amount ? 'amount' : 'gross'
      this.#wrong(`transaction.${field}`, signed.mistake)
      return []
    }
    this.#listed.add(signed.amount)
    const { amount, currency } = signed
    return [this.#record(transaction, { amount, currency, date: read.date })]
  }

  #record(
    transaction: Transaction | undefined,
    { amount, currency, date }: { amount: number; currency: string; date: string },
  ): Found {
    return { externalTransactionId: this.#idOf(transaction), amount, currency, bookedOn: date }
  }

  /** Empty where there is none. */
  #idOf(transaction: Transaction | undefined): string {
    const { order, findInText } = this.#rules
    const found = findInText?.(`${transaction?.text ?? ''} ${this.#text}`)
    if (found !== undefined) return found
    const id = firstReference(order, transaction?.references ?? this.#own, this.#own) ?? ''
    if (id.length > LONGEST_ID) {
      this.#wrong(undefined, `has a reference of more than ${LONGEST_ID} characters`)
    } else if (CONTROL.test(id)) this.#wrong(undefined, 'has a control character in a reference')
    return id
  }

  /**
   * What the bank kept of a payment: charges that it says are in the amount, or that are just what the
   * amount is less than the payment's own.
   */
  #feeOf(transaction: Transaction | undefined, amount: number, currency: string): number {
    const charges = transaction?.charges.length ? transaction.charges : this.#charges
    const kept = (of: readonly Charge[]) =>
      of.reduce((sum, charge) => sum - signedCharge(charge, currency), 0)
    const included = kept(charges.filter(({ isIncluded }) => isIncluded))
    if (included !== 0) return included
    const { gross } = transaction ?? {}
    if (charges.length === 0 || gross?.currency !== currency) return 0
    const before = readSigned(gross, this.#sign)
    const all = kept(charges)
    return 'amount' in before && before.amount - amount === all ? all : 0
  }

  #wrong(field: string | undefined, reason: string): void {
    if (this.mistakes.length >= MOST_MISTAKES) return
    this.mistakes.push({ element: field === undefined ? 'Ntry' : ELEMENTS[field], reason })
  }
}

/** Negative where it is taken, as it is unless the bank says otherwise; 0 where it is no charge. */
function signedCharge({ amount, sign }: Charge, currency: string): number {
  if (amount === undefined || amount.currency !== currency || exponentOf(currency) === undefined) {
    return 0
  }
  const read = readSigned(amount, sign ?? 'DBIT')
  return 'amount' in read ? read.amount : 0
}

interface Given {
  readonly node: CamtNode
  readonly text: string
  readonly currency: string | undefined
}

function setTransaction(transaction: Transaction, { node, text, currency }: Given): void {
  const { field, reference } = node
  if (reference !== undefined) transaction.references[reference] ??= text
  else if (field === 'transaction.amount') transaction.amount = { text, currency }
  else if (field === 'transaction.gross') transaction.gross = { text, currency }
  else if (field === 'transaction.sign') transaction.sign = text
  else if (transaction.text.length < LONGEST_TEXT) transaction.text += ` ${text}`
}

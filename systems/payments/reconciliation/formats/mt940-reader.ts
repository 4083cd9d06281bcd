import type { TextLine } from '@posthorn/bulk/text'
import { exponentOf } from '@posthorn/system'
import { datePattern } from '../profiles/amount.ts'
import type { Rules } from '../profiles/rules.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { MOST_STATEMENTS, readSequence, StatementFigures, type Findings } from './findings.ts'
import {
  DEFAULT_MT940_REFERENCES,
  firstReference,
  referenceRules,
  type Mt940Reference,
  type ReferenceRules,
} from './references.ts'
import { readCommaAmount } from './statement-amount.ts'

const TAG = /^:(\d\d[A-Z]?):/
/** What stands around the text of a message, and the end of the text. */
const ENVELOPE = /^(?:\{[1-5S]:|-\}|-$)/
/** Lines of a field at the most: of field 86 there are six. */
const MOST_LINES = 100
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F]/

interface Field {
  readonly tag: string
  readonly line: number
  readonly lines: string[]
}

/** Turns the fields of MT940 messages into records and balances. */
export class Mt940Reader {
  readonly #findings: Findings
  readonly #references: ReferenceRules<Mt940Reference>
  #field: Field | undefined
  #statement: StatementFigures | undefined
  #statements = 0
  /** The line of its `:20:`. */
  #begunAt = 1
  #currency: string | undefined
  #isClosed = false
  /** An entry waits for what field 86 says about it. */
  #entry: { readonly line: number; readonly read: EntryField } | undefined
  #records: BankRecord[] = []
  #isLost = false

  constructor(rules: Rules, findings: Findings) {
    this.#findings = findings
    const { mt940References = DEFAULT_MT940_REFERENCES, textPattern } = rules
    this.#references = referenceRules(mt940References, textPattern)
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Those that were complete since the last time. */
  takeRecords(): readonly BankRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  read({ line, text }: TextLine): void {
    const tag = TAG.exec(text)
    if (tag) {
      this.#endField()
      this.#field = { tag: tag[1] ?? '', line, lines: [text.slice(tag[0].length)] }
    } else if (ENVELOPE.test(text)) this.#endField()
    // What is before the first field, such as the address of the bank, says nothing.
    else if (this.#field && this.#field.lines.length < MOST_LINES) this.#field.lines.push(text)
  }

  /** The end of the file. */
  end(): void {
    this.#endField()
    if (this.#statements === 0) this.#mistake(1, undefined, 'has no message (:20:)')
    else this.#endStatement()
  }

  #endField(): void {
    const field = this.#field
    this.#field = undefined
    if (field === undefined || this.#isLost) return
    const { tag, line, lines } = field
    const value = lines.join('\n').trim()
    if (tag === '20') this.#beginStatement(value, line)
    else if (this.#statement === undefined) {
      this.#isLost = true
      this.#mistake(line, `:${tag}:`, 'comes before a message begins (:20:)')
    } else if (tag === '25' || tag === '25P') this.#statement.account = value.split('\n')[0] ?? ''
    else if (tag === '28C' || tag === '28') this.#setNumber(value)
    else if (tag === '60F' || tag === '60M') this.#readBalance(tag, value, line)
    else if (tag === '62F' || tag === '62M') this.#readBalance(tag, value, line)
    else if (tag === '61') this.#readEntry(value, line)
    else if (tag === '86') this.#endEntry(lines)
    else if (tag === '34F') {
      this.#isLost = true
      const reason =
        'is of MT942, a report during the day that says no balances: ask your bank for MT940'
      this.#mistake(line, ':34F:', reason)
    }
  }

  /** The number of the statement and its page. The reference of the message is another each time. */
  #setNumber(value: string): void {
    if (this.#statement === undefined) return
    const [number = '', page = ''] = value.split('/')
    this.#statement.statementId = number
    this.#statement.page = page
    this.#statement.sequence = readSequence(number)
  }

  #beginStatement(reference: string, line: number): void {
    this.#endStatement()
    this.#statements += 1
    if (this.#statements > MOST_STATEMENTS) {
      this.#isLost = true
      const reason = `is more than the ${MOST_STATEMENTS} messages that a file may have`
      this.#mistake(line, ':20:', reason)
      return
    }
    this.#statement = new StatementFigures(this.#statements)
    this.#statement.statementId = reference
    this.#begunAt = line
    this.#currency = undefined
    this.#isClosed = false
  }

  #endStatement(): void {
    this.#endEntry([])
    if (this.#statement === undefined) return
    const found = this.#statement.result()
    if (found.length === 0 && this.#findings.mistakes.length === 0) {
      this.#mistake(this.#begunAt, ':20:', 'begins a message that says no balance')
    }
    this.#findings.statements.push(...found)
  }

  #readBalance(tag: string, value: string, line: number): void {
    this.#endEntry([])
    const read = readBalanceField(value)
    if (typeof read === 'string') return this.#mistake(line, `:${tag}:`, read)
    const { currency, amount, day: on } = read
    if (exponentOf(currency) === undefined) {
      return this.#mistake(line, `:${tag}:`, 'is in no currency of ISO 4217')
    }
    if (tag.startsWith('60')) {
      this.#currency = currency
      if (this.#statement) this.#statement.from = on
      return this.#statement?.setOpening(currency, amount)
    }
    this.#isClosed = true
    if (this.#currency !== undefined && currency !== this.#currency) {
      return this.#mistake(line, `:${tag}:`, 'is in another currency than the opening balance')
    }
    if (this.#statement) this.#statement.to = on
    this.#statement?.setClosing(currency, amount)
  }

  #readEntry(value: string, line: number): void {
    this.#endEntry([])
    if (this.#currency === undefined) {
      return this.#mistake(line, ':61:', 'comes before an opening balance (:60F: or :60M:)')
    }
    if (this.#isClosed) return this.#mistake(line, ':61:', 'comes after the closing balance')
    const read = readEntryField(value, this.#currency)
    if (typeof read === 'string') return this.#mistake(line, ':61:', read)
    this.#entry = { line, read }
  }

  /** With what field 86 says, if it follows. */
  #endEntry(purpose: readonly string[]): void {
    const entry = this.#entry
    const currency = this.#currency
    this.#entry = undefined
    if (entry === undefined || currency === undefined || this.#statement === undefined) return
    const { line, read } = entry
    const { references, text } = readPurpose(purpose)
    const { order, findInText } = this.#references
    const found =
      findInText?.(`${text} ${read.supplement}`) ??
      firstReference(order, { ...read.references, ...references }) ??
      `${this.#statement.statementId}/${line}`
    if (CONTROL.test(found)) this.#mistake(line, ':61:', 'has a control character in a reference')
    const record: BankRecord = {
      line,
      externalTransactionId: found.slice(0, 255),
      amount: read.amount,
      currency,
      bookedOn: read.bookedOn,
    }
    this.#statement.addEntry(currency, read.amount)
    this.#statement.addRecord(record)
    this.#records.push(record)
  }

  #mistake(line: number, column: string | undefined, reason: string): void {
    this.#findings.mistakes.push({ line, column, reason })
  }
}

const day = datePattern('yyyy-MM-dd')

const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d[\d,]*)$/

/** A balance with its sign, in minor units; or what is wrong with it. */
function readBalanceField(
  value: string,
): { readonly currency: string; readonly amount: number; readonly day: string | null } | string {
  const [, sign, on = '', currency = '', digits = ''] = BALANCE.exec(value) ?? []
  if (sign === undefined) return 'is not a balance such as C260331EUR1234,56'
  const amount = readCommaAmount(digits, currency)
  if (typeof amount === 'string') return `has an amount that ${amount}`
  return {
    currency,
    amount: sign === 'D' && amount !== 0 ? -amount : amount,
    day: bookingDay(on, undefined) ?? null,
  }
}

/** A booking of field 61. */
interface EntryField {
  readonly amount: number
  readonly bookedOn: string
  readonly references: Partial<Record<Mt940Reference, string>>
  /** Its second line. */
  readonly supplement: string
}

/*
 * Value date, booking date (MMDD; some banks write blanks), credit or debit (R: the reversal of one, E: expected), the third
 * letter of the currency, amount, kind of the transaction; the references follow.
 */
const ENTRY = /^(\d{6})(\d{4})? *(R[CD]|E[CD]|[CD])([A-Z])?(\d[\d,]{0,15})([NFS][A-Z0-9]{3})?/

/** Reads field 61; or says what is wrong with it. */
function readEntryField(value: string, currency: string): EntryField | string {
  const found = ENTRY.exec(value)
  if (!found) return 'is not a booking such as 2603310331CR1234,56NTRFREF//BANKREF'
  const [whole, valued = '', booked, mark = '', , digits = ''] = found
  const amount = readCommaAmount(digits, currency)
  if (typeof amount === 'string') return `has an amount that ${amount}`
  const bookedOn = bookingDay(valued, booked)
  if (bookedOn === undefined) return 'has a date that the calendar does not have'
  const [first = '', ...rest] = value.slice(whole.length).split('\n')
  const at = first.indexOf('//')
  const customer = (at < 0 ? first : first.slice(0, at)).trim()
  const bank = at < 0 ? '' : first.slice(at + 2).trim()
  // The reversal of a credit takes the money away again.
  const isOut = mark === 'D' || mark === 'RC' || mark === 'ED'
  return {
    amount: isOut && amount !== 0 ? -amount : amount,
    bookedOn,
    references: { ...(customer !== '' && { customer }), ...(bank !== '' && { bank }) },
    supplement: rest.join(' '),
  }
}

/** The booking date has no year: that of the value date, unless the turn of the year is between. */
function bookingDay(valued: string, booked: string | undefined): string | undefined {
  const year = Number(valued.slice(0, 2)) + (Number(valued.slice(0, 2)) >= 80 ? 1_900 : 2_000)
  const month = valued.slice(2, 4)
  if (booked === undefined) return day?.(`${year}-${month}-${valued.slice(4)}`)
  const bookedMonth = booked.slice(0, 2)
  const shift =
    Number(bookedMonth) - Number(month) > 6 ? -1 : Number(month) - Number(bookedMonth) > 6 ? 1 : 0
  return day?.(`${year + shift}-${bookedMonth}-${booked.slice(2)}`)
}

/** What field 86 says about a booking. */
interface Purpose {
  readonly references: Partial<Record<Mt940Reference, string>>
  /** For people. */
  readonly text: string
}

const NAMES: readonly Mt940Reference[] = ['EREF', 'KREF', 'MREF']

/** Sub-fields of text: 20 to 29 and 60 to 63, in parts of 27 characters that belong together. */
const SUBFIELD = /\?(\d\d)/
const isText = (code: string) => /^(?:2\d|6[0-3])$/.test(code)

/** What begins a part of the text, as German banks write it: `EREF+…SVWZ+…`. */
const KEYED = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC)\+/
/** And others: `/EREF/…/REMI/…`. A value may have slashes: it ends where another of these words is. */
const SLASHED =
  /\/(ADDR|BENM|BIC|BO|CHGS|CNTP|CREF|CSID|EREF|EXCH|IBAN|ID|INST|IREF|ISDT|KREF|MARF|MREF|NAME|OAMT|OCMT|ORDP|PREF|PURP|REMI|RREF|RTRN|STRD|SVCL|TRCD|TRTP|UDTR|ULTB|ULTC|ULTD|USTD)(?=\/)/

/** Blanks and slashes around a value. */
const AROUND = /^[\s/]+|[\s/]+$/g

/** Reads field 86: sub-fields, words before each part, or just text. */
function readPurpose(lines: readonly string[]): Purpose {
  const whole = lines.join('')
  const text = /^\d{3}\?/.test(whole) || /^\?\d\d/.test(whole) ? textOfSubfields(whole) : whole
  const references = { ...referencesIn(text, SLASHED), ...referencesIn(text, KEYED) }
  // Lines of free text are words apart; those of parts are not.
  return { references, text: text === whole ? lines.join(' ') : text }
}

function textOfSubfields(whole: string): string {
  const [, ...parts] = whole.split(SUBFIELD)
  let text = ''
  for (let i = 0; i + 1 < parts.length; i += 2) {
    if (isText(parts[i] ?? '')) text += parts[i + 1] ?? ''
  }
  return text
}

function referencesIn(text: string, words: RegExp): Purpose['references'] {
  const [, ...parts] = text.split(words)
  const references: Partial<Record<Mt940Reference, string>> = {}
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = NAMES.find((each) => each === parts[i])
    const value = parts[i + 1]?.replaceAll(AROUND, '') ?? ''
    if (name !== undefined && value !== '') references[name] ??= value
  }
  return references
}

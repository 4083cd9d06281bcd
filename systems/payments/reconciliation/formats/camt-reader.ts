import type { Attributes, XmlHandler, XmlPlace, XmlScanner } from '@posthorn/bulk/xml'
import { datePattern } from '../profiles/amount.ts'
import type { Rules } from '../profiles/rules.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { CamtEntry } from './camt-entry.ts'
import { CAMT_DOCUMENT, ELEMENTS, PASSED_OVER, type CamtGroup, type CamtNode } from './camt-tree.ts'
import { MOST_STATEMENTS, readSequence, StatementFigures, type Findings } from './findings.ts'
import {
  DEFAULT_CAMT_REFERENCES,
  referenceRules,
  type CamtReference,
  type ReferenceRules,
} from './references.ts'
import { readSigned, type RawAmount } from './statement-amount.ts'

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3})\.\d{3}\.\d{2}$/

/** Where a balance stands: the day begins with the one, and ends with the other. */
const OPENING = new Set(['OPBD', 'PRCD'])
const CLOSING = new Set(['CLBD'])
/** Between the pages of a statement: the first is where a page begins, the last where it ends. */
const INTERIM = 'ITBD'

const readDay = datePattern('yyyy-MM-dd')
const dayOf = (text: string) => readDay?.(text.slice(0, 10)) ?? null

interface Balance {
  type: string
  day: string | null
  amount: RawAmount | undefined
  sign: string | undefined
}

/** Turns the elements of a camt.053 file into records and balances. */
export class CamtReader implements XmlHandler {
  readonly #rules: ReferenceRules<CamtReference>
  readonly #findings: Findings
  readonly #nodes: CamtNode[] = []
  #scanner: XmlScanner | undefined
  /** Of the elements of the statement, with its colon. */
  #prefix = ''
  #text = ''
  #currency: string | undefined
  #place: XmlPlace = { line: 1, column: 1 }
  #records: BankRecord[] = []
  #statement = new StatementFigures(0)
  #page = ''
  #balance: Balance = { type: '', day: null, amount: undefined, sign: undefined }
  #hasInterim = false
  #entry: CamtEntry
  #isLost = false
  #hasDocument = false

  constructor(rules: Rules, findings: Findings) {
    const { camtReferences = DEFAULT_CAMT_REFERENCES, textPattern } = rules
    this.#rules = referenceRules(camtReferences, textPattern)
    this.#findings = findings
    this.#entry = new CamtEntry(this.#rules)
  }

  /** Asks the scanner for the places of mistakes. */
  follow(scanner: XmlScanner): void {
    this.#scanner = scanner
  }

  /** Whether it is another kind of message: nothing in it is read. */
  get isLost(): boolean {
    return this.#isLost
  }

  get hasDocument(): boolean {
    return this.#hasDocument
  }

  /** Those that were complete since the last time. */
  takeRecords(): readonly BankRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  open(name: string, attributes: Attributes): boolean {
    const parent = this.#nodes[this.#nodes.length - 1]
    if (parent === undefined) {
      if (name !== 'Document' && !name.endsWith(':Document')) return false
      this.#begin(name, attributes)
      return false
    }
    const node = this.#nodeOf(parent, name)
    this.#nodes.push(node)
    if (node.group !== undefined) this.#openGroup(node.group)
    if (node.field === undefined) return false
    this.#text = ''
    if (attributes.size > 0) this.#currency = attributes.get('Ccy')
    return true
  }

  text(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text
  }

  close(): void {
    const node = this.#nodes.pop()
    if (node === undefined) return
    if (node.field !== undefined) {
      const text = this.#text.trim()
      this.#text = ''
      if (text !== '') this.#set(node, text)
      this.#currency = undefined
    }
    if (node.group !== undefined) this.#closeGroup(node.group)
  }

  #nodeOf(parent: CamtNode, name: string): CamtNode {
    if (parent === PASSED_OVER) return PASSED_OVER
    if (this.#prefix === '') return parent.children.get(name) ?? PASSED_OVER
    if (!name.startsWith(this.#prefix)) return PASSED_OVER
    return parent.children.get(name.slice(this.#prefix.length)) ?? PASSED_OVER
  }

  #begin(name: string, attributes: Attributes): void {
    this.#prefix = name.slice(0, -'Document'.length)
    const colon = this.#prefix.indexOf(':')
    const space = colon < 0 ? 'xmlns' : `xmlns:${this.#prefix.slice(0, colon)}`
    const message = NAMESPACE.exec(attributes.get(space) ?? '')?.[1]
    this.#hasDocument = true
    if (message === 'camt.053') this.#nodes.push(CAMT_DOCUMENT)
    else {
      this.#isLost = true
      const reason =
        message === undefined
          ? 'is in no namespace of ISO 20022 that is known: a statement is camt.053'
          : `is ${message}, not a statement: ask your bank for camt.053`
      this.#mistake('Document', reason)
    }
  }

  #openGroup(group: CamtGroup): void {
    if (group === 'statement') {
      this.#findings.begun += 1
      this.#statement = new StatementFigures(this.#findings.begun)
      this.#statement.page = this.#page
      this.#hasInterim = false
      if (this.#findings.begun > MOST_STATEMENTS) {
        this.#isLost = true
        this.#mistake('Stmt', `is more than the ${MOST_STATEMENTS} statements that a file may have`)
      }
    } else if (group === 'balance') {
      this.#balance = { type: '', day: null, amount: undefined, sign: undefined }
    } else if (group === 'entry') {
      this.#place = this.#scanner?.place ?? this.#place
      this.#entry = new CamtEntry(this.#rules)
    } else if (group === 'transaction') this.#store(this.#entry.beginTransaction())
    else this.#entry.beginCharge()
  }

  #closeGroup(group: CamtGroup): void {
    if (group === 'statement') this.#findings.statements.push(...this.#statement.result())
    else if (group === 'balance') this.#closeBalance()
    else if (group === 'entry') this.#closeEntry()
  }

  #set(node: CamtNode, text: string): void {
    const { field } = node
    if (field === 'statement.id') this.#statement.statementId = text
    else if (field === 'statement.account') this.#statement.account = text
    else if (field === 'statement.sequence') this.#statement.sequence = readSequence(text)
    else if (field === 'message.page') this.#page = text
    else if (field === 'statement.page') this.#statement.page = text
    else if (field === 'statement.from') this.#statement.from = dayOf(text)
    else if (field === 'statement.to') this.#statement.to = dayOf(text)
    else if (field === 'balance.day') this.#balance.day = dayOf(text)
    else if (field === 'balance.type') this.#balance.type = text
    else if (field === 'balance.sign') this.#balance.sign = text
    else if (field === 'balance.amount') {
      this.#balance.amount = { text, currency: this.#currency }
    } else this.#entry.set(node, text, this.#currency)
  }

  #closeBalance(): void {
    const { type, day, amount, sign } = this.#balance
    const isInterim = type === INTERIM
    if (!isInterim && !OPENING.has(type) && !CLOSING.has(type)) return
    const read = readSigned(amount, sign)
    if ('mistake' in read) return this.#mistake(ELEMENTS[`balance.${read.field}`], read.mistake)
    const { currency } = read
    if (OPENING.has(type) || (isInterim && !this.#hasInterim)) {
      this.#statement.setOpening(currency, read.amount)
      this.#statement.from ??= day
    } else {
      this.#statement.setClosing(currency, read.amount)
      this.#statement.to ??= day
    }
    if (isInterim) this.#hasInterim = true
  }

  #closeEntry(): void {
    const entry = this.#entry
    if (entry.isPending) {
      this.#findings.pending += 1
      return
    }
    this.#store(entry.end())
    if (entry.booked !== undefined) {
      this.#statement.addEntry(entry.booked.currency, entry.booked.amount)
    }
    for (const { element, reason } of entry.mistakes) this.#mistake(element, reason, this.#place)
  }

  /** Numbers the records that an entry gives. */
  #store(found: readonly Omit<BankRecord, 'line'>[]): void {
    for (const each of found) {
      this.#findings.numbered += 1
      const line = this.#findings.numbered
      const id =
        each.externalTransactionId ||
        `${this.#statement.statementId || `statement ${this.#statement.number}`}/${line}`
      const record = { ...each, line, externalTransactionId: id }
      this.#statement.addRecord(record)
      this.#records.push(record)
    }
  }

  #mistake(element: string | undefined, reason: string, at = this.#scanner?.place): void {
    const { line, column } = at ?? this.#place
    const where = element === undefined ? `column ${column}` : `column ${column}, ${element}`
    this.#findings.mistakes.push({ line, column: where, reason })
  }
}

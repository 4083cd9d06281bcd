import { readFileSync } from 'node:fs'

/** Statements as banks write them, made up: a day of an account in euros that begins with 1,000.00. */
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Version 2, with a prefix, as older systems send it: codes as text, amounts of a batch in details. */
export const CAMT_02 = read('camt-02.xml')
/** Version 8, in an envelope with a header of its own: codes as elements, amounts at each payment. */
export const CAMT_08 = read('camt-08.xml').trim()
/** Of a German bank, in SWIFT's blocks and with CRLF: field 86 in parts that run over the lines. */
export const MT940_GERMAN = read('german.mt940').replaceAll('\n', '\r\n')
/** Of a Dutch bank: no blocks, two messages, the second one over the turn of the year and in debit. */
export const MT940_DUTCH = read('dutch.mt940')

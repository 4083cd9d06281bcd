/** What a booking is called in a camt.053 statement. */
export const CAMT_REFERENCES = [
  'EndToEndId',
  'TxId',
  'InstrId',
  'UETR',
  'AcctSvcrRef',
  'PmtInfId',
  'MsgId',
  'CdtrRef',
  'ChqNb',
  'ClrSysRef',
  'NtryRef',
] as const
export type CamtReference = (typeof CAMT_REFERENCES)[number]

export const DEFAULT_CAMT_REFERENCES: readonly CamtReference[] = [
  'EndToEndId',
  'TxId',
  'InstrId',
  'AcctSvcrRef',
  'NtryRef',
]

/** What it is called in an MT940 statement: `EREF` … from field 86, the others from field 61. */
export const MT940_REFERENCES = ['EREF', 'KREF', 'MREF', 'customer', 'bank'] as const
export type Mt940Reference = (typeof MT940_REFERENCES)[number]

export const DEFAULT_MT940_REFERENCES: readonly Mt940Reference[] = [
  'EREF',
  'customer',
  'KREF',
  'bank',
]

/** How banks write that there is none. */
const NONE = /^(?:not ?provided|nonref|notavail(?:able)?|none|unknown|n\/?a|[-.0]*)$/i

type References<Name extends string> = Readonly<Partial<Record<Name, string>>>

/** The first of the references, in the order of the rules, that says something. */
export function firstReference<Name extends string>(
  order: readonly Name[],
  references: References<Name>,
  /** Of what it is a part of, for those that it has not itself. */
  ofWhole?: References<Name>,
): string | undefined {
  for (const name of order) {
    const reference = references[name] ?? ofWhole?.[name]
    if (reference !== undefined && !NONE.test(reference)) return reference
  }
  return undefined
}

const WORDS = /[^\s,;]+/g
const LONGEST_WORD = 100

/**
 * A finder of references inside a text for people, by a pattern such as `INV-####` or `RF*`: `#` is a
 * digit, `*` any letters and digits. A word of the text has to be all of it, in any case.
 */
function referenceFinder(pattern: string): (text: string) => string | undefined {
  const source = pattern
    .replaceAll(/[^\w#*]/g, '\\$&')
    .replaceAll('#', '\\d')
    .replaceAll('*', '[\\w-]+')
  const expression = new RegExp(`^${source}$`, 'i')
  return (text) =>
    text.match(WORDS)?.find((word) => word.length <= LONGEST_WORD && expression.test(word))
}

/** How the transaction id of a booking is found. */
export interface ReferenceRules<Name extends string> {
  readonly order: readonly Name[]
  /** In the text for people, before any reference. */
  readonly findInText: ((text: string) => string | undefined) | undefined
}

/** By an order of references and a pattern for words of the text. */
export function referenceRules<Name extends string>(
  order: readonly Name[],
  pattern: string | undefined,
): ReferenceRules<Name> {
  return { order, findInText: pattern === undefined ? undefined : referenceFinder(pattern) }
}

import type { Mt940Reference } from './references.ts'

/** What field 86 says about a booking. */
export interface Purpose {
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
/** And others: `/EREF/…/REMI/…`. */
const SLASHED = /\/([A-Z]{2,5})\/([^/]*)/g

/** Reads field 86: sub-fields, words before each part, or just text. */
export function readPurpose(lines: readonly string[]): Purpose {
  const whole = lines.join('')
  const text = /^\d{3}\?/.test(whole) || /^\?\d\d/.test(whole) ? textOfSubfields(whole) : whole
  const references = { ...slashedReferences(text), ...keyedReferences(text) }
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

function keyedReferences(text: string): Purpose['references'] {
  const [, ...parts] = text.split(KEYED)
  const references: Partial<Record<Mt940Reference, string>> = {}
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = NAMES.find((each) => each === parts[i])
    const value = parts[i + 1]?.trim() ?? ''
    if (name !== undefined && value !== '') references[name] ??= value
  }
  return references
}

function slashedReferences(text: string): Purpose['references'] {
  const references: Partial<Record<Mt940Reference, string>> = {}
  for (const [, name, value = ''] of text.matchAll(SLASHED)) {
    const known = NAMES.find((each) => each === name)
    if (known !== undefined && value.trim() !== '') references[known] ??= value.trim()
  }
  return references
}

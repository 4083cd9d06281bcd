/** What a code means, and what to do about it. */
export interface Meaning {
  readonly meaning: string
  /** Undefined where nothing is to be done or the meaning says it. */
  readonly advice: string | undefined
}

/** The status that a route answers with. */
const STATUS = /^[45]\d\d\. /
const ROW = /^\| `([A-Z][A-Z0-9_]*)`\s*\|(.*)\|\s*$/

/**
 * Reads the tables of the reference of errors, so that a code is explained in one place only. A code
 * that several parts use is explained by the first whose routes answer with it, else by the first.
 */
export function meaningsIn(reference: string): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>()
  for (const line of reference.split('\n')) {
    const [, code, cells] = ROW.exec(line) ?? []
    if (code === undefined || cells === undefined) continue
    // A bar inside code is written with a backslash.
    const [meaning = '', advice = ''] = cells.split(/(?<!\\)\|/).map(plain)
    const before = meanings.get(code)
    if (before && (STATUS.test(before.meaning) || !STATUS.test(meaning))) continue
    meanings.set(code, { meaning, advice: advice === '' ? undefined : advice })
  }
  return meanings
}

/** Whether an error's text says no more than what its code means. */
export function isRepeated(error: string, found: Meaning | undefined): boolean {
  return found?.meaning.startsWith(error.replace(/\.$/, '')) ?? false
}

/** What stands below a heading, up to the next one; nothing if there is no such heading. */
export function sectionOf(reference: string, title: string): string {
  const [, ...sections] = reference.split(/^#+ /m)
  return sections.find((section) => section.startsWith(`${title}\n`)) ?? ''
}

function plain(cell: string): string {
  return cell
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll('\\|', '|')
    .trim()
}

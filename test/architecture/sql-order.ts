import type { SourceFile } from './source-files.ts'

/** `seq::text` and `a.seq::text as seq`: a column under its own name, as text. */
const AS_TEXT = /^(?:\w+\.)?(\w+)::text(?:\s+as\s+"?(\w+)"?)?$/
const FRAGMENT = /const (\w+)(?:: \w+)? = sql`([^`]*)`/g

/**
 * Selects that cast a column to text and order by its bare name: PostgreSQL then orders the text, and
 * 10 comes before 9. The table's own column is meant, and must be named with its table.
 */
export function findOrderByText({ path, text }: SourceFile): string[] {
  const fragments = [...text.matchAll(FRAGMENT)]
  return [...text.matchAll(/`([^`]*\border by\b[^`]*)`/g)].flatMap(
    ({ 1: template = '', index }) => {
      const statement = fragments.reduce(
        (sum, { 1: name, 2: content = '' }) => sum.replaceAll(`\${${name}}`, content),
        template,
      )
      const line = text.slice(0, index).split('\n').length
      return listSelects(statement)
        .flatMap(({ columns, order }) => order.filter((name) => columns.includes(name)))
        .map((name) => `${path}:${line}: order by ${name} orders text`)
    },
  )
}

interface Select {
  /** Columns that it gives as text under their own names. */
  readonly columns: readonly string[]
  readonly order: readonly string[]
}

/** The selects of a statement, each without what is in parentheses inside it. */
function listSelects(statement: string): Select[] {
  const inner: Select[] = []
  let flat = statement
  for (let found = /\(([^()]*)\)/.exec(flat); found; found = /\(([^()]*)\)/.exec(flat)) {
    inner.push(...readSelect(found[1] ?? ''))
    flat = flat.slice(0, found.index) + '…' + flat.slice(found.index + found[0].length)
  }
  return [...inner, ...readSelect(flat)]
}

function readSelect(flat: string): Select[] {
  const found = /\bselect\s(?<list>.*?)\sfrom\s.*?\border by\s(?<order>.*)$/is.exec(flat)
  const { list = '', order = '' } = found?.groups ?? {}
  const columns = list.split(',').flatMap((column) => {
    const [, name, alias = name] = AS_TEXT.exec(column.trim()) ?? []
    return name !== undefined && alias === name ? [name] : []
  })
  const names = order.split(',').map((each) => /^\s*(\w+)/.exec(each)?.[1] ?? '')
  return [{ columns, order: names }]
}

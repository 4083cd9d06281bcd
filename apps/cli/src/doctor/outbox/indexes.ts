import { sql, type Outbox, type Queryable } from '@posthorn/engine'
import { warn, type Finding } from '../finding.ts'
import { dropIndex, makeIndex, remakeIndex } from '../remedies/queries.ts'
import { selectIndexes, type IndexFacts } from './queries.ts'

/** An index that the engine asks for. */
interface WantedIndex {
  readonly name: string
  /** As in `(due_at, id)`. */
  readonly columns: string
  readonly predicate: string
  readonly statement: string
}

/** Compares the indexes of a table with those in the definition's SQL, `text`. */
export async function checkIndexes(
  db: Queryable,
  { name: outbox, table: own }: Outbox,
  text: string,
): Promise<Finding[]> {
  const table = sql.id(own).name
  const present = await selectIndexes(db, table)
  const broken = present
    .filter(({ valid }) => !valid)
    .map(({ name, quoted }) => {
      const run = remakeIndex(quoted)
      const says = `index ${name} is invalid: it costs and does not help`
      return warn(outbox, says, { todo: 'make it again', run })
    })
  const wanted = parseWantedIndexes(text)
  const gone = wanted.flatMap((index) => {
    const namesake = present.find(({ name }) => name === index.name)
    if (namesake && isFor(namesake, index)) return []
    if (namesake) return [reportOutdated(outbox, namesake, index)]
    return present.some((each) => isSubstitute(each, index, wanted))
      ? []
      : [reportMissing(outbox, index)]
  })
  return [...broken, ...gone]
}

function reportMissing(outbox: string, { name, statement }: WantedIndex): Finding {
  return warn(outbox, `index ${name} is missing`, { todo: 'make it', run: statement })
}

function reportOutdated(
  outbox: string,
  { quoted }: IndexFacts,
  { name, statement }: WantedIndex,
): Finding {
  const says = `index ${name} is for other states than the definition's`
  const run = `${dropIndex(quoted)} ${statement}`
  return warn(outbox, says, { todo: 'make it again', run })
}

/** Another name will do, unless it is that of an index which is wanted for something else. */
function isSubstitute(
  present: IndexFacts,
  index: WantedIndex,
  wanted: readonly WantedIndex[],
): boolean {
  if (wanted.some(({ name }) => name === present.name)) return false
  return present.definition.includes(index.columns) && isFor(present, index)
}

/**
 * Whether two conditions speak of the same states. The server prints a condition in its own words,
 * so that only what it compares with can be compared.
 */
function isFor({ predicate }: IndexFacts, wanted: WantedIndex): boolean {
  return literalsOf(predicate ?? '') === literalsOf(wanted.predicate)
}

function literalsOf(condition: string): string {
  const found = condition.matchAll(/'([^']*)'|(?<![\w.])-?\d+\b/g)
  return [...new Set([...found].map(([all, quoted]) => quoted ?? all))].toSorted().join()
}

/** The indexes of a definition's SQL, which is written by the engine and always has this form. */
function parseWantedIndexes(text: string): WantedIndex[] {
  const found = text.matchAll(
    /^create index if not exists (\S+) on (\S+) (\(.+\))\n\s*where (.*);$/gm,
  )
  return [...found].map(([, quoted = '', table = '', columns = '', predicate = '']) => ({
    name: quoted.replaceAll('"', ''),
    columns,
    predicate,
    statement: makeIndex({ name: quoted, columns, predicate }, table),
  }))
}

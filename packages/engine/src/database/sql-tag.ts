import { isName, isTable, spell, spellTable } from './sql-names.ts'

/** SQL text with its parameters: what every database handle of ours takes. */
export interface Statement {
  readonly text: string
  readonly values: unknown[]
  /** A prepared statement's name; left out where a pooler stands between us and the server. */
  readonly name?: string
}

/**
 * A statement from the `sql` tag. A class, not a shape: a payload that happens to have `text` and
 * `values` must be a parameter like any other.
 */
class Fragment implements Statement {
  readonly text: string
  readonly values: unknown[]

  constructor(text: string, values: unknown[]) {
    this.text = text
    this.values = values
  }
}

/** A name that was checked, as it may stand in the text. */
class Identifier {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Writes SQL with its values kept apart: `` sql`select * from t where id = ${id}` ``. An
 * interpolation is always a parameter, except `sql.id(name)`, which is checked, and another
 * fragment.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Statement {
  const values: unknown[] = []
  let text = strings[0] ?? ''
  parts.forEach((part, i) => {
    if (part instanceof Identifier) text += part.name
    else if (part instanceof Fragment) text += renumber(part, values)
    else text += `$${values.push(part)}`
    text += strings[i + 1] ?? ''
  })
  return new Fragment(text, values)
}

/**
 * A table, with its schema if it has one, or a column: `sql.id('public.OutboxEvent')`. Quoted where it must be;
 * throws for what is no name.
 */
sql.id = (name: string): Identifier => {
  if (isTable(name)) return new Identifier(spellTable(name))
  if (!isName(name)) throw new TypeError(`"${name}" is not an identifier`)
  return new Identifier(spell(name))
}

/** Whether a name can stand in SQL text unquoted, with or without its schema. */
export function isIdentifier(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?$/.test(name)
}

function renumber(fragment: Fragment, values: unknown[]): string {
  const offset = values.length
  values.push(...fragment.values)
  return fragment.text.replaceAll(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
}

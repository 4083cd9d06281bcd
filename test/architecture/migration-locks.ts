import type { SourceFile } from './source-files.ts'

/*
 * Migrations run beside writers, on tables of any size: none may rewrite or scan a table, or wait, under
 * a lock that keeps writers out. What cannot be seen in the text is measured by
 * `npm run upgrade -- --locks`.
 */

interface Statement {
  /** Lower case, without comments and strings, each space one. */
  readonly text: string
  readonly line: number
  /** Why it may lock, as `-- locks: …` above it says. */
  readonly excuse: string | undefined
}

/** What is wrong with the locks of a migration, and exceptions that are not needed. */
export function findLocks({ path, text }: SourceFile): string[] {
  const isConcurrent = /^\s*--\s*concurrently\b/.test(text)
  const statements = readStatements(text)
  const created = new Set(statements.flatMap(({ text: each }) => createdTable(each) ?? []))
  const altered = new Set<string>()
  return statements.flatMap(({ text: each, line, excuse }) => {
    const problems = isConcurrent ? wrongBeside(each) : findStrong(each, { created, altered })
    const table = /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(each)?.[1]
    if (table !== undefined) altered.add(table)
    if (excuse === undefined) return problems.map((problem) => `${path}:${line}: ${problem}`)
    if (problems.length === 0) return [`${path}:${line}: needs no exception for its locks`]
    return excuse.length < 15 ? [`${path}:${line}: does not say why it may lock`] : []
  })
}

interface Known {
  /** By this migration: no process writes to them yet. */
  readonly created: ReadonlySet<string>
  /** Before the statement, so that their lock is held until the step's end. */
  readonly altered: ReadonlySet<string>
}

function findStrong(text: string, { created, altered }: Known): string[] {
  const index = /^create (?:unique )?index (concurrently )?.*? on (?:only )?([\w.]+)/.exec(text)
  if (index) {
    if (index[1] !== undefined) return ['concurrently needs a first line `-- concurrently`']
    return created.has(index[2] ?? '') ? [] : ['create index keeps writers out: use concurrently']
  }
  const [, table, actions = ''] =
    /^alter table (?:if exists )?(?:only )?([\w.]+) (.*)$/.exec(text) ?? []
  if (table !== undefined) {
    if (created.has(table)) return []
    const isHeld = altered.has(table)
    return actionsOf(actions).flatMap((action) => wrongAction(action, isHeld) ?? [])
  }
  const [, changed] =
    /\bupdate ([\w.]+) (?:as \w+ )?set\b/.exec(text) ?? /\bdelete from ([\w.]+)/.exec(text) ?? []
  if (changed !== undefined && !text.startsWith('create ') && !created.has(changed)) {
    if (altered.has(changed)) {
      return [`changes rows of ${changed} under the lock of an alter table: use two steps`]
    }
    if (!/ where /.test(text)) return [`changes every row of ${changed} in one transaction`]
  }
  const strong =
    /^(?:truncate|vacuum full|cluster|lock table|lock |do |reindex(?!.*concurrently)|refresh materialized view (?!concurrently))/.exec(
      text,
    )
  return strong ? [`${strong[0].trim()} takes a strong lock, or cannot be read`] : []
}

/** Functions whose value is the same in a whole statement: a default by them rewrites nothing. */
const STABLE = /\b(?:posthorn\.)?now\(\)/g

function wrongAction(action: string, isHeld: boolean): string | undefined {
  if (
    /^add (?:column )?(?:if not exists )?(?!constraint|check|foreign|primary|unique|exclude)/.test(
      action,
    )
  ) {
    if (/ generated always as \(/.test(action)) return 'a generated column rewrites the table'
    if (/ identity\b|serial\b/.test(action)) return 'an identity column rewrites the table'
    const value = / default (.*)$/.exec(action)?.[1]?.replaceAll(STABLE, '')
    if (value !== undefined && /^[^ ]*\w\(/.test(value)) {
      return 'a default that is not the same for all rows rewrites the table'
    }
    if (/ check ?\(/.test(action))
      return 'the check of a new column reads the table: add it not valid'
    if (/ references /.test(action)) return 'the foreign key of a new column: add it not valid'
    if (/ unique\b| primary key\b/.test(action)) return 'an index is built: use concurrently first'
    return undefined
  }
  if (/^add /.test(action)) {
    if (/ (?:primary key|unique|exclude)\b/.test(` ${action}`)) {
      return / using index /.test(action) ? undefined : 'an index is built: use concurrently first'
    }
    return /not valid$/.test(action)
      ? undefined
      : 'a new constraint reads the table: add it not valid'
  }
  if (/^alter (?:column )?\w+ (?:set data )?type /.test(action))
    return 'a new type rewrites the table'
  if (/ set not null$/.test(action)) return 'set not null reads the table: use a check, not valid'
  if (/^validate constraint /.test(action) && isHeld) {
    return 'validates under the lock of the alter table before it: use a step of its own'
  }
  return /^(?:set (?:un)?logged|set tablespace|attach partition|cluster on)/.exec(action)?.[0]
}

function wrongBeside(text: string): string[] {
  const isBeside =
    /^create (?:unique )?index concurrently if not exists /.test(text) ||
    /^drop index concurrently if exists /.test(text) ||
    /^alter table [\w.]+ validate constraint /.test(text)
  return isBeside ? [] : ['a concurrent step only builds and drops indexes, and validates']
}

function createdTable(text: string): string[] | undefined {
  const table = /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(text)?.[1]
  return table === undefined ? undefined : [table]
}

/** `add column a int, add check (b in (1, 2))` at its outer commas. */
function actionsOf(text: string): string[] {
  const actions = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) actions.push('')
    else actions[actions.length - 1] += character
  }
  return actions.map((action) => action.trim())
}

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'|[;]|[^-/$';]+|[-/$]/g

function countLines(text = ''): number {
  return text.split('\n').length - 1
}

function readStatements(source: string): Statement[] {
  const statements: Statement[] = []
  let text = ''
  let line = 1
  let begin = 1
  let excuse: string | undefined
  for (const [token] of source.matchAll(TOKEN)) {
    const reason = /^--\s*locks:\s*(.*)$/.exec(token)?.[1]
    if (reason !== undefined) excuse = reason
    else if (token === ';') {
      const flat = text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
      statements.push({ text: flat, line: begin, excuse })
      text = ''
      excuse = undefined
    } else if (!token.startsWith('--') && !token.startsWith('/*')) {
      if (text.trim() === '' && token.trim() !== '') {
        begin = line + countLines(/^\s*/.exec(token)?.[0])
      }
      text += token.startsWith("'") || /^\$\w*\$/.test(token) ? `''` : token
    }
    line += countLines(token)
  }
  return statements
}

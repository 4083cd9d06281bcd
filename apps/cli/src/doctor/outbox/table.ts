import { listHazards } from '@posthorn/engine/internal'
import { outboxTableSql, sql, type Outbox, type Queryable } from '@posthorn/engine'
import { duration, number } from '../../terminal/words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import {
  dropIndex,
  letVacuumComeEarlier,
  makeIndex,
  remakeIndex,
  switchVacuumOn,
  vacuum,
} from '../queries.ts'
import {
  selectColumns,
  selectIndexes,
  selectOtherStorage,
  selectVacuum,
  type IndexFacts,
  type VacuumFacts,
} from './queries.ts'

/** Whether a table has what its definition names and the indexes of its claims, and is kept clean. */
export async function checkTable(db: Queryable, outbox: Outbox): Promise<Finding[]> {
  const { name } = outbox
  const table = sql.id(outbox.table).name
  const claimed = sql.id(outbox.exceptions ?? outbox.table).name
  const columns = await selectColumns(db, table)
  if (columns.length === 0) {
    const advice = { todo: 'create it by a migration', run: 'posthorn migrate' }
    return [fail(name, `there is no table ${table}`, advice)]
  }
  const text = outboxTableSql(outbox)
  const missing = [...listColumns(outbox), ...engineColumns(text)].filter(
    (column) => !columns.includes(column),
  )
  if (missing.length > 0) {
    const todo = 'add them by a migration; `outboxTableSql` says how'
    return [fail(name, `${table} has no column ${[...new Set(missing)].join(', ')}`, todo)]
  }
  if (outbox.log !== undefined) {
    const logged = await selectColumns(db, sql.id(outbox.log).name)
    const unlogged = columns.filter((column) => !logged.includes(column))
    const todo = 'add them by a migration; `outboxTableSql` says how'
    if (unlogged.length > 0) {
      return [fail(name, `${outbox.log} has no column ${unlogged.join(', ')}`, todo)]
    }
    const kept = await selectColumns(db, claimed)
    if (kept.join() !== logged.join()) {
      return [fail(name, `${claimed} lacks the columns of ${outbox.log}, in their order`, todo)]
    }
  }
  return [
    ...(await checkStorage(db, outbox)),
    ...(await checkHazards(db, outbox)),
    ...(await checkIndexes(db, outbox, text)),
    ...(await checkVacuum(db, name, claimed)),
  ]
}

/** Whether a relay of the definition could start, and would find what waits where it looks. */
async function checkStorage(db: Queryable, outbox: Outbox): Promise<Finding[]> {
  const found = await selectOtherStorage(db, outbox)
  if (!found) return []
  const { storage, relay } = found
  const kept = `${outbox.table} is kept ${storage === 'log' ? 'in a log' : `by ${storage}`}`
  const todo = 'see docs/concepts/storage.md#another-storage'
  if (relay === null) {
    const says = `${kept}, not as it is defined; the next start of a relay moves what waits`
    return [warn(outbox.name, says, { todo, run: 'posthorn relay' })]
  }
  const says = `STORAGE_IN_USE: ${kept} by the relay ${relay} (outbox ${found.outbox}), not as it is defined`
  return [fail(outbox.name, says, todo)]
}

/** What a relay looks for at its start, as this role sees it. */
async function checkHazards(db: Queryable, outbox: Outbox): Promise<Finding[]> {
  const hazards = await listHazards(db, outbox)
  return hazards.map(({ level, code, says, todo, run }) => {
    const finding = level === 'fail' ? fail : warn
    return finding(outbox.name, `${code}: ${says}`, { todo, run })
  })
}

function engineColumns(text: string): string[] {
  return [...text.matchAll(/add column if not exists (\w+)/g)].map(([, name = '']) => name)
}

function listColumns({ columns, counter, order }: Outbox): string[] {
  const { ref, dedupe, idType: _, ...single } = columns
  const names = [
    ...Object.values(single),
    ...Object.values(ref ?? {}),
    ...(dedupe ?? []),
    counter.column,
    counter.limit,
    order?.key,
  ]
  return names.filter((name) => name !== undefined)
}

/** An index that the engine asks for. */
interface WantedIndex {
  readonly name: string
  /** As in `(due_at, id)`. */
  readonly columns: string
  readonly predicate: string
  readonly statement: string
}

/** Compares the indexes of a table with those in the definition's SQL, `text`. */
async function checkIndexes(
  db: Queryable,
  { name: outbox, table: own, exceptions }: Outbox,
  text: string,
): Promise<Finding[]> {
  const table = sql.id(exceptions ?? own).name
  const present = await selectIndexes(db, table)
  const broken = present
    .filter(({ valid }) => !valid)
    .map(({ name, quoted }) => {
      const run = remakeIndex(quoted)
      const says = `index ${name} is invalid: it costs and does not help`
      return warn(outbox, says, { todo: 'create it again', run })
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
  return warn(outbox, `index ${name} is missing`, { todo: 'create it', run: statement })
}

function reportOutdated(
  outbox: string,
  { quoted }: IndexFacts,
  { name, statement }: WantedIndex,
): Finding {
  const says = `index ${name} is for other states than the definition's`
  const run = `${dropIndex(quoted)} ${statement}`
  return warn(outbox, says, { todo: 'create it again', run })
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
    statement: makeIndex(quoted, table, `${columns} where ${predicate}`),
  }))
}

const MANY_DEAD_ROWS = 10_000
const LARGE_TABLE = 50_000
const LARGE_FACTOR = 0.1

/** The engine's own tables that change with every message. */
const HOT_TABLES = ['posthorn.bucket', 'posthorn.held_key', 'posthorn.session', 'posthorn.pulse']

/** Whether dead rows are cleared away from the engine's own tables. */
export async function checkHotTables(db: Queryable): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const table of HOT_TABLES) findings.push(...(await checkVacuum(db, 'vacuum', table)))
  return findings.length > 0 ? findings : [ok('vacuum', "the engine's own tables are clean")]
}

/** Whether vacuum comes to a table, and keeps up with it. */
export async function checkVacuum(db: Queryable, check: string, table: string): Promise<Finding[]> {
  const facts = await selectVacuum(db, table)
  if (!facts) return []
  const findings: Finding[] = []
  if (facts.off) {
    const says = `autovacuum is switched off for ${table}`
    const run = switchVacuumOn(table)
    findings.push(warn(check, says, { todo: 'switch it on', run }))
  } else if (facts.live > LARGE_TABLE && facts.scaleFactor > LARGE_FACTOR) {
    const percent = Math.round(facts.scaleFactor * 100)
    const says = `autovacuum runs on ${table} only when ${percent} % of its ${number(facts.live)} rows are dead`
    const run = letVacuumComeEarlier(table)
    findings.push(warn(check, says, { todo: 'run it earlier', run }))
  }
  if (isStarved(facts)) {
    const { live, dead, vacuumedSecondsAgo: ago } = facts
    const last = ago === null ? 'never vacuumed' : `vacuumed ${duration(ago)} ago`
    const says = `${table} has ${number(dead)} dead rows beside ${number(live)} living ones, ${last}`
    const todo = 'see what keeps vacuum from it (transactions, replication), then vacuum it'
    findings.push(warn(check, says, { todo, run: vacuum(table) }))
  }
  return findings
}

function isStarved({ live, dead }: VacuumFacts): boolean {
  return dead >= MANY_DEAD_ROWS && dead >= live / 2
}

import type { Queryable } from '@posthorn/engine'
import { duration, number } from '../../words.ts'
import { ok, warn, type Finding } from '../finding.ts'
import { letVacuumComeEarlier, switchVacuumOn, vacuum } from '../remedies/queries.ts'
import { selectVacuum, type VacuumFacts } from './queries.ts'

const MANY_DEAD_ROWS = 10_000
const LARGE_TABLE = 50_000
const LARGE_FACTOR = 0.1

/** The engine's own tables that change with every message. */
const HOT_TABLES = ['posthorn.bucket', 'posthorn.held_key', 'posthorn.relay', 'posthorn.pulse']

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
    const says = `autovacuum comes to ${table} only when ${percent} % of its ${number(facts.live)} rows are dead`
    const run = letVacuumComeEarlier(table)
    findings.push(warn(check, says, { todo: 'let it come earlier', run }))
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

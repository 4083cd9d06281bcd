import type { Outbox, Queryable } from '@posthorn/engine'
import { outboxTableSql } from '@posthorn/engine'
import type { OutboxStatus, Status } from '../status.ts'
import { counted, duration, number, oneLine } from '../words.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'
import { selectColumns, selectDeadRows, selectIndexes } from './queries.ts'

const LATE_SECONDS = 300
const MANY_DEAD_ROWS = 10_000

/** Whether a table has what its definition names, and the indexes of its claims. */
export async function checkTable(db: Queryable, outbox: Outbox): Promise<Finding[]> {
  const { name, table } = outbox
  const columns = await selectColumns(db, table)
  if (columns.length === 0) {
    return [fail(name, `there is no table ${table}`, 'run `posthorn migrate`')]
  }
  const text = outboxTableSql(outbox)
  const missing = [...namedColumns(outbox), ...engineColumns(text)].filter(
    (column) => !columns.includes(column),
  )
  if (missing.length > 0) {
    const todo = 'add them by a migration; `outboxTableSql` says how'
    return [fail(name, `${table} has no column ${[...new Set(missing)].join(', ')}`, todo)]
  }
  const findings = [...(await checkIndexes(db, table, text)), ...(await checkBloat(db, table))]
  return findings.map((finding) => ({ ...finding, check: name }))
}

async function checkIndexes(db: Queryable, table: string, text: string): Promise<Finding[]> {
  const present = await selectIndexes(db, table)
  const findings = present
    .filter(({ valid }) => !valid)
    .map(({ name: index }) =>
      warn('', `index ${index} is invalid: it costs and does not help`, `reindex index ${index}`),
    )
  const wanted = wantedIndexes(text)
  // Another name will do, unless it is that of an index which is wanted for something else.
  const others = present.filter(({ name }) => !wanted.some(({ index }) => index === name))
  for (const { index, columns, statement } of wanted) {
    const isThere =
      present.some(({ name }) => name === index) ||
      others.some(({ definition }) => definition.includes(columns))
    if (!isThere) findings.push(warn('', `index ${index} is missing`, oneLine(statement)))
  }
  return findings
}

async function checkBloat(db: Queryable, table: string): Promise<Finding[]> {
  const { live, dead } = await selectDeadRows(db, table)
  if (dead < MANY_DEAD_ROWS || dead < live / 2) return []
  const says = `${table} has ${number(dead)} dead rows beside ${number(live)} living ones`
  return [warn('', says, `see what keeps vacuum from it, then vacuum (analyze) ${table}`)]
}

/** The indexes of a definition's SQL, which is written by the engine and always has this form. */
function wantedIndexes(text: string) {
  const found = text.matchAll(/^create index if not exists (\S+) on \S+ (\(.+\))\n(?:.*;)$/gm)
  return [...found].map(([statement, index = '', columns = '']) => ({ index, columns, statement }))
}

function engineColumns(text: string): string[] {
  return [...text.matchAll(/add column if not exists (\w+)/g)].map(([, name = '']) => name)
}

function namedColumns({ columns, counter, order }: Outbox): string[] {
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

/** How the outboxes are doing, and whether anybody works on them. */
export function checkWork({ outboxes, alertsOpen }: Status): Finding[] {
  const findings = outboxes.flatMap(workOf)
  const isAlone = outboxes.length > 0 && outboxes.every(({ relays }) => relays === 0)
  if (isAlone) {
    const todo = 'run `posthorn start` or `posthorn relay`'
    findings.unshift(warn('relays', 'none has been heard of for 15 s', todo))
  } else findings.unshift(ok('relays', counted(Math.max(0, ...outboxes.map(relaysOf)), 'relay')))
  const alerts = Object.values(alertsOpen).reduce((sum, each) => sum + each, 0)
  if (alerts === 0) return [...findings, ok('alerts', 'none is open')]
  return [...findings, warn('alerts', `${number(alerts)} open`, 'see `posthorn alerts`')]
}

function workOf(outbox: OutboxStatus): Finding[] {
  const { name, paused, oldestDueSeconds: oldest, relays, pausedBy, blockedKeys } = outbox
  const findings: Finding[] = []
  if (paused) {
    const todo = `posthorn resume ${name}`
    findings.push(warn(name, oneLine(`it is paused by ${pausedBy ?? 'somebody'}`), todo))
  } else if (oldest > LATE_SECONDS) {
    const says = `a message has been due for ${duration(oldest)}`
    const late = relays === 0 ? fail : warn
    const todo = relays === 0 ? 'start a relay' : 'more relays, or a destination that is slow'
    findings.push(late(name, says, todo))
  }
  if (blockedKeys > 0) {
    const says = `${counted(blockedKeys, 'key')} blocked behind a dead message`
    findings.push(warn(name, says, `posthorn messages ${name} --dead, then replay or cancel`))
  }
  return findings.length === 0 ? [ok(name, 'in order')] : findings
}

function relaysOf({ relays }: OutboxStatus): number {
  return relays
}

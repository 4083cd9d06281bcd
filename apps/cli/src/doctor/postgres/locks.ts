import { sql, type Outbox, type Queryable } from '@posthorn/engine'
import { pluralise, duration, oneLine } from '../../words.ts'
import { ok, warn, type Advice, type Finding } from '../finding.ts'
import { endProcess, findPrepared } from '../remedies/queries.ts'
import { selectHeldLocks, selectLockWaits, type LockWait } from './queries.ts'

const LONG_SECONDS = 5

/** Who waits for a lock, and who holds one on a table of messages that blocks other writers. */
export async function checkLocks(
  db: Queryable,
  outboxes: readonly Pick<Outbox, 'table'>[],
  longSeconds = LONG_SECONDS,
): Promise<Finding[]> {
  const tables = [...new Set(outboxes.map(({ table }) => sql.id(table).name))]
  const waits = await selectLockWaits(db, longSeconds)
  const held = await selectHeldLocks(db, tables, longSeconds)
  const blockers = new Set(waits.map(({ blocker }) => blocker))
  const findings: Finding[] = []
  const [longest, ...others] = waits
  if (longest) {
    const { pid, application, target, seconds, blocker } = longest
    const more = others.length === 0 ? '' : `, and ${pluralise(others.length, 'other')}`
    const says = `process ${pid} (${nameOf(application)}) has waited ${duration(seconds)} for ${target} behind ${blockerOf(longest)}${more}`
    findings.push(warn('locks', says, endOf(blocker)))
  }
  for (const { pid, application, state, seconds, table, mode } of held) {
    if (blockers.has(pid)) continue
    const says = `process ${pid} (${nameOf(application)}, ${state}) has had ${mode} on ${table} for ${duration(seconds)}`
    findings.push(warn('locks', says, endOf(pid)))
  }
  return findings.length > 0 ? findings : [ok('locks', 'no process waits for one')]
}

function nameOf(application: string): string {
  return oneLine(application) || 'unnamed'
}

function blockerOf({ blocker, blockerApplication, blockerState }: LockWait): string {
  if (blocker === 0) return 'a prepared transaction'
  return `process ${blocker} (${nameOf(blockerApplication)}, ${blockerState})`
}

function endOf(pid: number): Advice {
  if (pid === 0) {
    return { todo: 'commit it or roll it back', run: findPrepared() }
  }
  return { todo: 'let it finish, or end it', run: endProcess(pid) }
}

import { sql, type Outbox, type Queryable } from '@posthorn/engine'
import { pluralise, duration, number, oneLine } from '../../terminal/words.ts'
import { fail, ok, warn, type Advice, type Finding } from '../finding.ts'
import { dropSlot, endProcess, findPrepared, rollBackPrepared } from '../queries.ts'
import {
  selectHeldLocks,
  selectIdleSlots,
  selectLockWaits,
  selectLongTransactions,
  selectPreparedTransactions,
  type LockWait,
} from './queries.ts'

const LONG_SECONDS = 300
const MIB = 1024 ** 2

/**
 * What keeps vacuum from clearing rows away: rows that died since the oldest of these began stay,
 * and every claim steps over it.
 */
export async function checkHorizon(db: Queryable, longSeconds = LONG_SECONDS): Promise<Finding[]> {
  const findings = [
    ...(await openTransactions(db, longSeconds)),
    ...(await checkPreparedTransactions(db, longSeconds)),
    ...(await idleSlots(db)),
  ]
  if (findings.length > 0) return findings
  return [ok('transactions', `none is older than ${duration(longSeconds)}`)]
}

async function openTransactions(db: Queryable, longSeconds: number): Promise<Finding[]> {
  const [longest, ...others] = await selectLongTransactions(db, longSeconds)
  if (!longest) return []
  const { pid, application, state, seconds } = longest
  const more = others.length === 0 ? '' : `, and ${pluralise(others.length, 'other')}`
  const says = `process ${pid} (${nameOf(application)}, ${state}) has one open for ${duration(seconds)}${more}`
  const todo = 'find out what it waits for, or end it'
  return [warn('transactions', says, { todo, run: endProcess(pid) })]
}

async function checkPreparedTransactions(db: Queryable, longSeconds: number): Promise<Finding[]> {
  const prepared = await selectPreparedTransactions(db, longSeconds)
  return prepared.map(({ gid, owner, seconds }) => {
    const says = `${oneLine(gid)} of ${owner} was prepared ${duration(seconds)} ago and never ended`
    const todo = 'ask its coordinator how it ended, then commit or roll it back'
    return warn('transactions', says, { todo, run: rollBackPrepared(gid) })
  })
}

async function idleSlots(db: Queryable): Promise<Finding[]> {
  const slots = await selectIdleSlots(db)
  return slots.map(({ name, walBytes, status, pinsRows }) => {
    const keeps = `keeps ${number(walBytes / MIB)} MiB of log${pinsRows ? ' and dead rows' : ''}`
    const advice = { todo: 'start its reader again, or drop the slot', run: dropSlot(name) }
    if (status !== 'lost') return warn('replication', `slot ${name} is idle: it ${keeps}`, advice)
    return fail('replication', `slot ${name} has lost log that its reader needs`, advice)
  })
}

const LONG_WAIT_SECONDS = 5

/** Who waits for a lock, and who holds one on a table of messages that blocks other writers. */
export async function checkLocks(
  db: Queryable,
  outboxes: readonly Pick<Outbox, 'table'>[],
  longSeconds = LONG_WAIT_SECONDS,
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
  return findings.length > 0 ? findings : [ok('locks', 'no process waits for a lock')]
}

function nameOf(application: string): string {
  return oneLine(application) || 'unnamed'
}

function blockerOf({ blocker, blockerApplication, blockerState }: LockWait): string {
  if (blocker === 0) return 'a prepared transaction'
  return `process ${blocker} (${nameOf(blockerApplication)}, ${blockerState})`
}

function endOf(pid: number): Advice {
  if (pid === 0) return { todo: 'commit it or roll it back', run: findPrepared }
  return { todo: 'let it finish, or end it', run: endProcess(pid) }
}

import type { Queryable } from '@posthorn/engine'
import { pluralise, duration, number, oneLine } from '../../words.ts'
import { fail, ok, warn, type Finding } from '../finding.ts'
import { dropSlot, endProcess, rollBackPrepared } from '../remedies/queries.ts'
import { selectIdleSlots, selectLongTransactions, selectPreparedTransactions } from './queries.ts'

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
  const says = `process ${pid} (${oneLine(application) || 'unnamed'}, ${state}) has one open for ${duration(seconds)}${more}`
  const advice = {
    todo: 'find out what it waits for, or end it',
    run: endProcess(pid),
  }
  return [warn('transactions', says, advice)]
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
    const advice = {
      todo: 'start its reader again, or drop the slot',
      run: dropSlot(name),
    }
    if (status !== 'lost') return warn('replication', `slot ${name} is idle: it ${keeps}`, advice)
    return fail('replication', `slot ${name} has lost what its reader needs`, advice)
  })
}

import type { Outbox } from '@posthorn/engine'
import { sealAudits, verifyAudits } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import type { Line } from '../../crash/ledger.ts'
import type { WrittenEvents } from '../load/events.ts'
import {
  countClaims,
  countDeadLetters,
  countForgottenTransactions,
  countGaps,
  countHeldKeys,
  countSetAside,
  countUnfinished,
  countUnrecorded,
  selectAlertCodes,
} from './queries.ts'

/** What holds for every outbox, once no process runs any more. */
export async function outboxLines(pool: Pool, outboxes: readonly Outbox[]): Promise<Line[]> {
  const sum = async (count: (outbox: Outbox) => Promise<number>) => {
    let total = 0
    for (const outbox of outboxes) total += await count(outbox)
    return total
  }
  const recorded = (count: typeof countGaps) => (outbox: Outbox) =>
    outbox.audit.record === 'all' ? count(pool, outbox) : Promise.resolve(0)
  const { codes, ...alerts } = await alertsOf(pool)
  return [
    { name: 'outboxes', value: outboxes.length },
    { name: 'not finished', value: await sum((outbox) => countUnfinished(pool, outbox)), must: 0 },
    { name: 'claims left over', value: await sum((outbox) => countClaims(pool, outbox)), must: 0 },
    { name: 'keys still held', value: await countHeldKeys(pool), must: 0 },
    {
      name: 'rows their audit knows otherwise',
      value: await sum(recorded(countUnrecorded)),
      must: 0,
    },
    { name: 'gaps in the audit', value: await sum(recorded(countGaps)), must: 0 },
    { name: 'transactions left open', value: await countForgottenTransactions(pool), must: 0 },
    { name: 'alerts', value: alerts.count },
    { name: 'their codes', value: codes },
  ]
}

/** The sealed chain of all audits. */
export async function auditLines(pool: Pool): Promise<Line[]> {
  // The last rows were written when no process was left to seal them.
  await sealAudits(pool)
  const { rows, findings, unsealed } = await verifyAudits(pool)
  return [
    { name: 'rows of audits, sealed', value: rows, atLeast: 1 },
    { name: 'changed, missing or inserted', value: findings.length, must: 0 },
    { name: 'audits with unsealed rows', value: unsealed.length, must: 0 },
  ]
}

/** What consumers could not handle is with the operator, and nothing else. */
export async function consumerLines(pool: Pool, { indigestible }: WrittenEvents): Promise<Line[]> {
  const dead = await countDeadLetters(pool)
  return [
    { name: 'dead letters of consumers', value: dead, must: indigestible.length },
    { name: 'still set aside', value: await countSetAside(pool), must: 0 },
  ]
}

async function alertsOf(pool: Pool): Promise<{ count: number; codes: string }> {
  const found = Object.entries(await selectAlertCodes(pool))
  return {
    count: found.reduce((sum, [, count]) => sum + count, 0),
    codes: found.map(([code, count]) => `${code} ${count}`).join(', ') || 'none',
  }
}

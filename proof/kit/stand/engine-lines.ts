import type { Outbox } from '@posthorn/engine'
import { outboxGraph } from '@posthorn/operate/internal'
import { sealAudits, verifyAudits } from '@posthorn/operate'
import type { Pool } from 'pg'
import type { Line } from '../ledger.ts'
import type { WrittenEvents } from '../../chaos/events/load.ts'
import {
  countClaims,
  countDeadLetters,
  countForgottenTransactions,
  countGaps,
  countHeldKeys,
  countSetAside,
  countSetAsideForGood,
  countUnfinished,
  countUnrecorded,
  selectAlertCodes,
  selectMoves,
} from './queries.ts'
import { systemProofs } from './system-proof.ts'

export const ILLEGAL_MOVES = 'changes of state that no definition allows'

/** Ways that a system takes besides its outbox. */
const OWN_WAYS: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...systemProofs.map(({ ways }) => ways),
)

/** An outcome may overtake the relay that has the message in hand, where rows are claimed by a token alone. */
function overtaking({ states, order }: Outbox): string[] {
  const { ready, retry, dead, claimed, confirmed } = states
  if (confirmed === undefined || claimed !== undefined || order) return []
  // It may be a failure, too: the message is then due again, or dead.
  return [ready, retry].flatMap((from) => [confirmed, retry, dead].map((to) => `${from} → ${to}`))
}

/** Changes that the definition's graph does not have, and messages that began elsewhere than ready. */
async function findIllegal(pool: Pool, outboxes: readonly Outbox[]): Promise<string[]> {
  const found: string[] = []
  for (const outbox of outboxes) {
    const { name, states, audit } = outbox
    const standing = [states.ready, states.retry, states.claimed].filter((s) => s !== undefined)
    const known = new Set([
      ...outboxGraph(outbox).edges.map(({ from, to }) => `${from ?? 'none'} → ${to}`),
      // Tried, set aside or waited for, and still where it was.
      ...standing.map((state) => `${state} → ${state}`),
      ...overtaking(outbox),
      ...(OWN_WAYS[name] ?? []),
    ])
    for (const { from, to, isFirst, count } of await selectMoves(pool, outbox)) {
      const way = `${from ?? 'none'} → ${to ?? 'none'}`
      const isBeginning = from === null || from === String(states.ready)
      if (!known.has(way)) found.push(`${name}: ${way} ${count}`)
      else if (isFirst && audit.record === 'all' && !isBeginning) {
        found.push(`${name} begins with ${way} ${count}`)
      }
    }
  }
  return found
}

/** What holds for every outbox, once no process runs any more. */
export async function outboxLines(pool: Pool, outboxes: readonly Outbox[]): Promise<Line[]> {
  /** Which of them have some, and how many. */
  const find = async (count: (db: Pool, outbox: Outbox) => Promise<number>) => {
    const found: string[] = []
    for (const outbox of outboxes) {
      const left = await count(pool, outbox)
      if (left > 0) found.push(`${outbox.name} ${left}`)
    }
    return found.join(', ') || 'none'
  }
  const closedBySystems = systemProofs.flatMap(({ closed }) => closed ?? [])
  const unlessClosed = (count: typeof countGaps) => async (db: Pool, outbox: Outbox) =>
    closedBySystems.includes(outbox.name) ? 0 : count(db, outbox)
  const recorded = (count: typeof countGaps) =>
    unlessClosed(async (db, outbox) => (outbox.audit.record === 'all' ? count(db, outbox) : 0))
  const { codes, ...alerts } = await alertsOf(pool)
  return [
    { name: 'outboxes', value: outboxes.length },
    { name: 'not finished', value: await find(countUnfinished), must: 'none' },
    // A row that its system closed keeps the claim of a relay that died meanwhile.
    { name: 'claims left over', value: await find(unlessClosed(countClaims)), must: 'none' },
    { name: 'keys still held', value: await countHeldKeys(pool), must: 0 },
    {
      name: 'rows their audit knows otherwise',
      value: await find(recorded(countUnrecorded)),
      must: 'none',
    },
    { name: 'gaps in the audit', value: await find(recorded(countGaps)), must: 'none' },
    {
      name: ILLEGAL_MOVES,
      value: (await findIllegal(pool, outboxes)).join(', ') || 'none',
      must: 'none',
    },
    {
      name: 'set aside, though the policy never gives up',
      value: await find(countSetAsideForGood),
      must: 'none',
    },
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

import type { Claim } from './claim.ts'
import type { Decision } from './decide.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { type ErrorCode, type Failure } from '../../errors.ts'
import { refused } from '../../outbox/outcome.ts'
import { idOf, type Settlement } from './settlement.ts'

/** What to write after a run of an ordered outbox. */
export interface KeyPlan {
  readonly settlements: Settlement[]
  /** Messages that leave the flow to wait behind an earlier one of their key. */
  readonly aside: { id: string; bucket: number; key: string }[]
  readonly holds: Hold[]
  /** Waiting keys that may be free now, with the version under which they were read. */
  readonly frees: { key: string; bucket: number; version: string }[]
  /** Keys whose waiting messages are dead-lettered too. */
  readonly parks: { key: string; bucket: number }[]
}

export interface Hold {
  readonly key: string
  readonly bucket: number
  /** Undefined: until an operator acts. */
  readonly delayMs: number | undefined
  readonly tail: 'wait' | 'park'
  readonly heldBy: string
  /** Whether the message that waits is claimed alone. */
  readonly suspect: boolean
  /** Under which the key was read; undefined where it was free. */
  readonly version: string | undefined
}

/** How the rest of a key fares once one of its messages did not go through. */
type Fate = 'waits' | 'parks' | 'stays'

const BEHIND_DEAD: Failure<ErrorCode> = {
  code: 'PARKED',
  message: 'waits behind a dead message of its key',
}

const PARKED = refused(BEHIND_DEAD)

/** Rows that may be attempted: due, and nothing of their key waits in front of them. */
export function attemptableRows(outbox: Outbox, rows: readonly OutboxRow[]): number[] {
  // As nearly always.
  if (!rows.some(isStopped)) return rows.map((_, i) => i)
  const stopped = new Set<string>()
  return rows.flatMap((row, i) => {
    const key = keyOf(outbox, row)
    if (isStopped(row)) stopped.add(key)
    return stopped.has(key) ? [] : [i]
  })
}

/**
 * Turns decisions into writes, so that a message never overtakes an earlier one of its key. Pure.
 * Rows are in order; those that were not attempted have no settlement.
 */
export function planRun(
  outbox: Outbox,
  claim: Claim,
  settled: ReadonlyMap<OutboxRow, Settlement>,
): KeyPlan {
  const plan: KeyPlan = { settlements: [], aside: [], holds: [], frees: [], parks: [] }
  const fates = new Map<string, Fate>()
  for (const row of claim.rows) {
    const key = keyOf(outbox, row)
    const fate = fates.get(key) ?? fateInFront(outbox, row, plan)
    const settlement = settled.get(row)
    // Delivered is delivered, even by a transport that did not stop where it should have.
    if (settlement && (fate === undefined || settlement.decision.role === 'sent')) {
      plan.settlements.push(settlement)
      const next = fateBehind(outbox, settlement, plan)
      if (next && !fate) fates.set(key, next)
    } else if (fate === 'parks') {
      plan.settlements.push({ row, outcome: PARKED, decision: parkedDecision() })
    } else if (fate === 'waits' && row['held'] !== true) {
      plan.aside.push({ id: idOf(outbox, row), bucket: bucketOf(row), key })
    }
    if (fate) fates.set(key, fate)
  }
  for (const waiting of findWaitingKeys(outbox, claim)) {
    const fate = fates.get(waiting.key)
    if (fate === undefined || fate === 'stays') plan.frees.push(waiting)
  }
  return plan
}

/** Messages of an ordered outbox that went out although one in front of them, of their key, did not. */
export function findOvertaking(outbox: Outbox, settlements: readonly Settlement[]): string[] {
  if (!outbox.order || settlements.every(({ decision }) => decision.role === 'sent')) return []
  const failed = new Set<string>()
  return settlements.flatMap(({ row, decision }) => {
    const key = keyOf(outbox, row)
    if (decision.role !== 'sent') failed.add(key)
    return decision.role === 'sent' && failed.has(key) ? [idOf(outbox, row)] : []
  })
}

function isStopped(row: OutboxRow): boolean {
  return row['claim_tail'] != null || Number(row['claim_early_ms'] ?? 0) > 0
}

/** What stands in front of a row that was not attempted. */
function fateInFront(outbox: Outbox, row: OutboxRow, plan: KeyPlan): Fate | undefined {
  if (row['claim_tail'] === 'wait') return 'waits'
  if (row['claim_tail'] === 'park') return 'parks'
  const earlyMs = Number(row['claim_early_ms'] ?? 0)
  if (earlyMs <= 0) return undefined
  const suspect = Number(row['lost_claims']) > 0
  plan.holds.push(holdOf(outbox, row, { delayMs: earlyMs, tail: 'wait', suspect }))
  return 'waits'
}

/** What a row that was attempted means for those behind it. */
function fateBehind(
  outbox: Outbox,
  { row, decision }: Settlement,
  plan: KeyPlan,
): Fate | undefined {
  if (decision.role === 'sent' || decision.role === 'confirmed') return undefined
  const hold = holdBehind(outbox, row, decision)
  if (!hold) return 'stays'
  plan.holds.push(hold)
  if (hold.tail === 'wait') return 'waits'
  plan.parks.push({ key: hold.key, bucket: hold.bucket })
  return 'parks'
}

/** How a key waits behind a message that did not go through; undefined where it goes on. */
export function holdBehind(outbox: Outbox, row: OutboxRow, decision: Decision): Hold | undefined {
  switch (decision.role) {
    case 'retry':
    case 'stay':
    case 'await': {
      const delayMs = decision.delayMs ?? 0
      return holdOf(outbox, row, { delayMs, tail: 'wait', suspect: decision.lost > 0 })
    }
    case 'dead':
    case 'quarantined': {
      if (outbox.order?.dead === 'skip') return undefined
      const tail = outbox.order?.dead === 'park' ? 'park' : 'wait'
      return holdOf(outbox, row, { delayMs: undefined, tail, suspect: false })
    }
    case 'sent':
    case 'confirmed':
      return undefined
  }
}

/** The arguments of the statement that makes keys wait. */
export function holdArgs(holds: readonly Hold[]): Record<string, readonly unknown[]> {
  return {
    keys: holds.map((hold) => hold.key),
    buckets: holds.map((hold) => hold.bucket),
    delays: holds.map((hold) => hold.delayMs ?? null),
    tails: holds.map((hold) => hold.tail),
    heldBy: holds.map((hold) => hold.heldBy),
    suspects: holds.map((hold) => hold.suspect),
    versions: holds.map((hold) => hold.version ?? null),
  }
}

function parkedDecision(): Decision {
  const failure = PARKED.kind === 'refused' ? PARKED.failure : undefined
  return { role: 'dead', delayMs: undefined, bump: 0, lost: 0, failure, ref: undefined }
}

function holdOf(
  outbox: Outbox,
  row: OutboxRow,
  hold: Pick<Hold, 'delayMs' | 'tail' | 'suspect'>,
): Hold {
  return {
    key: keyOf(outbox, row),
    bucket: bucketOf(row),
    heldBy: idOf(outbox, row),
    version: (row['claim_version'] as string | null | undefined) ?? undefined,
    ...hold,
  }
}

/** The keys of a run that were waiting, each with the version it was read under. */
function findWaitingKeys(outbox: Outbox, { rows }: Claim): KeyPlan['frees'] {
  const waiting = new Map<string, KeyPlan['frees'][number]>()
  for (const row of rows) {
    if (row['claim_version'] == null) continue
    const key = keyOf(outbox, row)
    waiting.set(key, {
      key,
      bucket: bucketOf(row),
      version: row['claim_version'] as string,
    })
  }
  return [...waiting.values()]
}

function bucketOf(row: OutboxRow): number {
  return Number(row['bucket'])
}

export function keyOf({ order }: Outbox, row: OutboxRow): string {
  return String(order && row[order.key])
}

/** How many keys the rows are of. */
export function countKeys(outbox: Outbox, rows: readonly OutboxRow[]): number {
  return new Set(rows.map((row) => keyOf(outbox, row))).size
}

/** A key is in one bucket, so what a plan says of some buckets holds by itself. */
export function within(plan: KeyPlan, buckets: ReadonlySet<number>): KeyPlan {
  const inThem = ({ bucket }: { bucket: number }) => buckets.has(bucket)
  return {
    settlements: plan.settlements.filter(({ row }) => buckets.has(Number(row['bucket']))),
    aside: plan.aside.filter(inThem),
    holds: plan.holds.filter(inThem),
    frees: plan.frees.filter(inThem),
    parks: plan.parks.filter(inThem),
  }
}

/** What a plan says of these keys, and of the others. */
export function splitByKey(
  outbox: Outbox,
  plan: KeyPlan,
  keys: ReadonlySet<string>,
): { mine: KeyPlan; others: KeyPlan } {
  const pick = (isMine: boolean): KeyPlan => {
    const isPicked = ({ key }: { key: string }) => keys.has(key) === isMine
    return {
      settlements: plan.settlements.filter(({ row }) => isPicked({ key: keyOf(outbox, row) })),
      aside: plan.aside.filter(isPicked),
      holds: plan.holds.filter(isPicked),
      frees: plan.frees.filter(isPicked),
      parks: plan.parks.filter(isPicked),
    }
  }
  return { mine: pick(true), others: pick(false) }
}

import type { Decision } from '../relay/settle/decide.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { nextKey, type HeldKey, type KeyEvent } from './held-key-model.ts'

/* What the explorer of the protocol knows in one state, what a relay does to it, and what must be so. */

export interface Message {
  status: 'ready' | 'sent' | 'dead'
  held: boolean
  /** Dead because another message of its key is: it stops nothing by itself. */
  parked: boolean
  /** By the clock, which only a move lets go on: 0 is now. */
  due: number
  lost: number
  /** Attempts that were counted against it, and those that really failed. */
  counted: number
  failed: number
  arrived: boolean
}

export interface Hand {
  rows: OutboxRow[]
  run: number
  outcomes: Outcome[] | undefined
}

/** Messages of a key that their run has ended without: the first of them is being delivered. */
export interface Busy {
  rows: OutboxRow[]
  outcome: Outcome | undefined
  /** The lease that they were read under is another's. */
  isLost: boolean
}

export interface Relay {
  /** `stale`: the relay does not know yet that its lease is another's. */
  token: 'none' | 'ours' | 'stale'
  hand: Hand | undefined
  busy: Busy[]
}

/** `open`: it is still being delivered, or waits behind such a one. */
export type Outcome = 'delivered' | 'failed' | 'refused' | 'open'

/** What may still go wrong, so that there is an end. */
export interface Budget {
  failures: number
  refusals: number
  expiries: number
  lostAnswers: number
  replays: number
  confirmations: number
  /** Messages that take their time. */
  slow: number
}

export interface World {
  messages: Message[]
  keys: HeldKey[]
  versions: number[]
  isExpired: boolean
  run: number
  /** Indexes of what is in flight under the lease. */
  noted: number[]
  relays: [Relay, Relay]
  left: Budget
}

/** Rules that a test may break, to see that it is found. */
export interface Rules {
  next(key: HeldKey, event: KeyEvent): HeldKey
  /** Whether a settlement may be written: token and run still fit. */
  guards(relay: Relay, run: { ofHand: number; ofLease: number }): boolean
  /** Whether what became of a slow message may be written: its lease and its counter still fit. */
  guardsBusy(busy: Busy, counted: { ofRow: number; now: number }): boolean
  /** Whether a relay reads a key of which it has a slow message. */
  readsBusy: boolean
}

export const RULES: Rules = {
  next: nextKey,
  guards: ({ token }, { ofHand, ofLease }) => token === 'ours' && ofLease <= ofHand,
  guardsBusy: ({ isLost }, { ofRow, now }) => !isLost && ofRow === now,
  readsBusy: false,
}

/** Which key each of the four messages has. */
export const KEYS = [0, 0, 0, 1]

export function decisionOf(outcome: Outcome): Decision {
  const none = { delayMs: undefined, bump: 0, lost: 0, failure: undefined, ref: undefined }
  if (outcome === 'delivered') return { ...none, role: 'sent' }
  if (outcome === 'refused') return { ...none, role: 'dead', bump: 1 }
  return { ...none, role: 'retry', delayMs: 1, bump: 1 }
}

/** Another relay takes over; what was in flight is suspect. */
export function take(rules: Rules, world: World, r: 0 | 1): void {
  const other = world.relays[r === 0 ? 1 : 0]
  if (other.token === 'ours') other.token = 'stale'
  for (const each of world.relays.flatMap(({ busy }) => busy)) each.isLost = true
  world.relays[r].token = 'ours'
  world.isExpired = false
  for (const m of world.noted) {
    const message = world.messages[m] as Message
    if (message.status !== 'ready') continue
    Object.assign(message, { held: true, lost: Math.min(message.lost + 1, 2) })
    const k = KEYS[m] as number
    world.keys[k] = rules.next(world.keys[k] as HeldKey, { event: 'lose', now: 0 })
    world.versions[k] = (world.versions[k] ?? 0) + 1
  }
  world.noted = []
  world.run += 1
}

export function rowOf(world: World, m: number, more: Record<string, unknown>): OutboxRow {
  const { held, due, lost, counted } = world.messages[m] as Message
  const earlier = [0, 1, 2, 3].filter((e) => e < m && KEYS[e] === KEYS[m])
  const is = (e: number) => world.messages[e] as Message
  return {
    id: String(m),
    key: String(KEYS[m]),
    bucket: 0,
    seq: m,
    held,
    lost_claims: lost,
    counted,
    ...(due > 0 ? { claim_early_ms: due } : {}),
    // For the check: what was in front of it when it was read.
    before: earlier.filter((e) => !is(e).arrived && is(e).status === 'ready'),
    dead: earlier.filter((e) => is(e).status === 'dead' && !is(e).parked),
    ...more,
  }
}

export function begin(world: World, r: 0 | 1, rows: OutboxRow[]): void {
  if (rows.length === 0) return
  world.run += 1
  // The note of what is slow stays.
  world.noted = [...rows, ...openRows(world.relays[r])].map((row) => Number(row['id']))
  world.relays[r].hand = { rows, run: world.run, outcomes: undefined }
}

/** The keys that a relay leaves alone. */
function busyKeys(rules: Rules, { busy }: Relay): ReadonlySet<number> {
  const rows = busy.flatMap((each) => each.rows)
  return new Set(rules.readsBusy ? [] : rows.map((row) => Number(row['key'])))
}

/** What a relay has in flight under its lease beside its run. */
export function openRows({ busy }: Relay): OutboxRow[] {
  return busy.filter(({ isLost }) => !isLost).flatMap(({ rows }) => rows)
}

/** Not sent, and held by no key: in a log, not in its exceptions. */
export function isInFlow(world: World, row: OutboxRow): boolean {
  const { status, held } = world.messages[Number(row['id'])] as Message
  return status === 'ready' && !held
}

export function readFlow(rules: Rules, world: World, r: 0 | 1): void {
  const busy = busyKeys(rules, world.relays[r])
  const waiting = [0, 1, 2, 3].filter((m) => {
    return isInFlow(world, { id: m }) && !busy.has(KEYS[m] as number)
  })
  const rows = waiting.map((m) => {
    const { state } = world.keys[KEYS[m] as number] as HeldKey
    const tail = state === 'parked' ? 'park' : 'wait'
    return rowOf(world, m, state === 'free' ? {} : { claim_tail: tail })
  })
  begin(world, r, rows)
}

/**
 * The waiting keys that are due. What was lost once comes with others of its kind, what was lost again comes
 * alone; neither with what was never lost.
 */
export function readHeld(rules: Rules, world: World, r: 0 | 1): void {
  const busy = busyKeys(rules, world.relays[r])
  const rows = [0, 1].flatMap((k) => {
    const key = world.keys[k] as HeldKey
    if (busy.has(k)) return []
    if (key.state !== 'waiting' || key.until > 0) return []
    const held = [0, 1, 2, 3].filter((m) => {
      const { status, held: isHeld } = world.messages[m] as Message
      return KEYS[m] === k && status === 'ready' && isHeld
    })
    const lostOf = (m: number) => (world.messages[m] as Message).lost
    const first = lostOf(held[0] ?? 0)
    const end = first > 1 ? 1 : held.findIndex((m) => lostOf(m) !== first)
    const taken = end === -1 ? held : held.slice(0, end)
    return taken.map((m) => rowOf(world, m, { claim_version: String(world.versions[k]) }))
  })
  begin(world, r, rows)
}

/** In an ordered batch no message of a key goes after its first failure, and those behind a slow one are open, too. */
export function possibleOutcomes(
  rows: readonly OutboxRow[],
  { failures, refusals, slow }: Budget,
): Outcome[][] {
  const ends: Outcome[] = ['failed', 'refused', 'open']
  let all: Outcome[][] = [rows.map(() => 'delivered')]
  for (const key of new Set(rows.map((row) => row['key']))) {
    const stopped = rows.flatMap((first, i) =>
      first['key'] !== key
        ? []
        : ends.map(
            (end) => (row: OutboxRow, j: number) =>
              j === i || (end === 'open' && j > i && row['key'] === key) ? end : undefined,
          ),
    )
    all = all.flatMap((outcomes) => [
      outcomes,
      ...stopped.map((at) => outcomes.map((outcome, j) => at(rows[j] as OutboxRow, j) ?? outcome)),
    ])
  }
  return all.filter((outcomes) => {
    const keysWith = (end: Outcome) =>
      new Set(rows.filter((_, i) => outcomes[i] === end).map((row) => row['key'])).size
    return (
      keysWith('failed') <= failures && keysWith('refused') <= refusals && keysWith('open') <= slow
    )
  })
}

export function parkTail(world: World, k: number): void {
  world.messages.forEach((message, m) => {
    if (KEYS[m] === k && message.status === 'ready' && message.held) {
      Object.assign(message, { status: 'dead', held: false, parked: true })
    }
  })
}

/** "Order per key": the first arrival of a message, behind all that was in front of it when it was read. */
export function orderBroken(
  world: World,
  row: OutboxRow,
  dead: string | undefined,
): string | undefined {
  if ((world.messages[Number(row['id'])] as Message).arrived) return undefined
  const before = row['before'] as number[]
  if (before.some((m) => !world.messages[m]?.arrived)) return 'Order per key, if asked for'
  const isStopped = dead !== 'skip' && (row['dead'] as number[]).length > 0
  return isStopped ? 'Order per key, if asked for: behind a dead message' : undefined
}

/** What must be so in every state. */
export function brokenIn(world: World): string | undefined {
  for (const [m, message] of world.messages.entries()) {
    const key = world.keys[KEYS[m] as number] as HeldKey
    if (message.status === 'ready' && message.held && key.state === 'free') {
      return 'nothing that committed is lost: a message waits behind no key'
    }
    if (message.status === 'sent' && !message.arrived) {
      return 'nothing that committed is lost: sent and never delivered'
    }
    if (message.counted > message.failed) return 'Attempts are bounded: one was counted twice'
  }
  if (world.relays[0].token === 'ours' && world.relays[1].token === 'ours') {
    return 'One owner at a time'
  }
  return undefined
}

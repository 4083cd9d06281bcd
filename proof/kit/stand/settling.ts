import { transaction, type Outbox, type Queryable } from '@posthorn/engine'
import { advanceClock, listDeadLetters, replay, replayDeadLetters } from '@posthorn/operate'
import { viewTable } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { countEffects } from '../events/queries.ts'
import { pause } from '../waiting.ts'
import type { Client } from './client.ts'
import { systemProofs } from './system-proof.ts'
import type { WrittenEvents } from '../../chaos/events/load.ts'
import { INDIGESTIBLE, POISON, rowEvents } from '../../chaos/events/outbox.ts'
import {
  countAbandoned,
  countHeldKeys,
  countSetAside,
  countUnfinished,
  selectDead,
} from './queries.ts'

const LOOK_MS = 500
/** Looks that must find nothing once nothing comes in any more: a request may still be under way. */
const QUIET_LOOKS = 3

/** How far the clock moves each time: retries are due after seconds, minutes and hours. */
const STEPS = ['1m', '10m', '1h', '6h', '6h', '6h'] as const

/**
 * What does not move for so long, longer than a Kafka group misses a member, never will: on a machine
 * so busy that everything takes ten times as long, too.
 */
const STILL_MS = 240_000

/** Leases longer than this are not waited for: those of processes that are gone would take minutes. */
const LEASE_MS = 10_000

/** After so long without a change a lease may be one of a process that is gone. */
const QUIET_MS = 15_000

/** Their dead messages stay where they are. */
const FINAL = new Set(systemProofs.flatMap(({ final = [] }) => final))

const operator = { by: 'chaos', reason: 'the run is over' }

export interface Settling {
  readonly pool: Pool
  readonly outboxes: readonly Outbox[]
  readonly events: WrittenEvents
  readonly client: Client
  /** Ends what comes in from outside: those there may have kept a webhook until now. */
  cutOff(): Promise<void>
  readonly withinMs: number
  /** From one act of the operator to the next. */
  readonly actEveryMs: number
  /** Reports of what was delivered may be lost: a message that stays sent has come to its end. */
  readonly isLossy?: boolean
  readonly signal: AbortSignal
}

/** What is left to do, by name; empty when everything has come to its end. */
export type Rest = Readonly<Record<string, number>>

export interface Settled {
  readonly rest: Rest
  /** What the operator sent again. */
  readonly replayed: number
  /** The same by outbox, with `consumers` and systems besides. */
  readonly replayedOf: ReadonlyMap<string, number>
  readonly seconds: number
}

/**
 * Waits until everything has come to its end. An operator moves the clock meanwhile, so that retries
 * are due, and sends again what was given up; poisoned messages stay where they are. Then nothing comes
 * in from outside any more, and what came in at the last moment is waited for, too.
 */
export async function settle(settling: Settling): Promise<Settled> {
  const { pool, withinMs, actEveryMs, signal } = settling
  const began = performance.now()
  const replayedOf = new Map<string, number>()
  let before = ''
  let movedMs = began
  let [acts, actedMs] = [0, began]
  /** Looks in a row that found nothing, since nothing comes in any more. */
  let quiet: number | undefined
  await endLongLeases(settling)
  for (;;) {
    const rest = await findRest(settling)
    const now = performance.now()
    if (JSON.stringify(rest) !== before) movedMs = now
    before = JSON.stringify(rest)
    const isEmpty = Object.keys(rest).length === 0
    if (isEmpty && quiet === undefined) await settling.cutOff()
    if (isEmpty) quiet = (quiet ?? 0) + 1
    else if (quiet !== undefined) quiet = 0
    const isOver = quiet !== undefined && quiet >= QUIET_LOOKS
    if (isOver || now - began > withinMs || now - movedMs > STILL_MS) {
      const replayed = [...replayedOf.values()].reduce((sum, each) => sum + each, 0)
      return { rest, replayed, replayedOf, seconds: (now - began) / 1_000 }
    }
    await pause(LOOK_MS, signal)
    if (isEmpty || performance.now() - actedMs < actEveryMs) continue
    for (const [name, count] of await replayAll(settling)) {
      replayedOf.set(name, (replayedOf.get(name) ?? 0) + count)
    }
    // Those of living relays, too: what moves is left alone.
    if (performance.now() - movedMs > QUIET_MS) await endLongLeases(settling)
    await advanceClock(pool, STEPS[acts] ?? '6h')
    acts += 1
    actedMs = performance.now()
  }
}

async function findRest({ pool, outboxes, events, isLossy = false }: Settling): Promise<Rest> {
  const db: Queryable = pool
  const rest: Record<string, number> = {}
  for (const outbox of outboxes) rest[outbox.name] = await countUnfinished(db, outbox)
  for (const [name, { committed }] of events.byOutbox) {
    rest[`effects of ${name}`] = committed - (await countEffects(db, name))
  }
  for (const proof of systemProofs) {
    Object.assign(rest, await proof.rest?.(db, { isLossy }))
  }
  rest['keys held'] = await countHeldKeys(db)
  rest['set aside by consumers'] = await countSetAside(db)
  // A relay that died takes seconds to be missed: others count it in until then.
  rest['leases abandoned'] = await countAbandoned(db, outboxes)
  return Object.fromEntries(Object.entries(rest).filter(([, count]) => count !== 0))
}

async function endLongLeases({ pool, outboxes }: Settling): Promise<void> {
  for (const outbox of outboxes) {
    if (outbox.leaseMs > LEASE_MS) await viewTable(pool, outbox).expireLeases()
  }
}

async function replayAll({ pool, outboxes, client }: Settling): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const outbox of outboxes) {
    const ids = await selectDead(pool, outbox, outbox.name === rowEvents.name ? POISON : undefined)
    if (ids.length === 0 || FINAL.has(outbox.name)) continue
    counts.set(outbox.name, ids.length)
    await transaction(pool, (tx) => replay(tx, outbox, { ...operator, filter: { ids } }))
  }
  const { items } = await listDeadLetters(pool, { state: 'dead', limit: 500 })
  const letters = items.filter(({ key }) => !key?.startsWith(INDIGESTIBLE)).map(({ id }) => id)
  if (letters.length > 0) {
    counts.set('consumers', letters.length)
    await transaction(pool, (tx) =>
      replayDeadLetters(tx, { ...operator, filter: { ids: letters } }),
    )
  }
  for (const { name, mend } of systemProofs) {
    const mended = (await mend?.(pool, client)) ?? 0
    if (mended > 0) counts.set(name, mended)
  }
  return counts
}

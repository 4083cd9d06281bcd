import { enqueueAll, transaction, uuid, type Outbox } from '@posthorn/engine'
import { unblock } from '@posthorn/operate'
import type { Pool } from 'pg'
import { readArrivals, type Arrival } from '../kit/events/arrivals.ts'
import { audit } from '../kit/events/audit.ts'
import type { Ledger, Line } from '../kit/ledger.ts'
import { poisonedKeys, poisonedRows, type EventRow } from '../kit/events/outbox.ts'
import { keyNames } from '../kit/events/plan.ts'
import {
  countEffects,
  insertEntries,
  selectEffects,
  selectEntries,
  selectPoisoning,
  selectStanding,
  selectStuck,
  type Entry,
  type Poisoning,
} from '../kit/events/queries.ts'
import { createRandom } from '../kit/random.ts'
import { startRelays, type Stage } from './storm.ts'
import { until } from '../kit/waiting.ts'

const KEYS = keyNames(20)
const MESSAGES = 10 * KEYS.length
const WITHIN_MS = 90_000

/** A batch that is lost as a whole, a group of suspects, then three lost lone claims. */
const DEATHS = 5

interface Case {
  readonly outbox: Outbox<EventRow>
  readonly poison: Entry
  /** Written together, and so in one batch with the poisoned one. */
  readonly mates: readonly Entry[]
  /** Of other keys, written once the first relay is dead. */
  readonly late: readonly Entry[]
}

/** What was seen of a case while it went on. */
interface Course {
  readonly isOver: boolean
  readonly last: Poisoning
  /** The most lost claims ever seen on another message. */
  readonly lostClaims: number
  readonly blocked: number
  readonly stuck: readonly unknown[]
}

/**
 * In an ordered outbox and in one without an order, run by the same relays, a message kills every
 * relay that tries to deliver it. Each must end after three lost lone claims, with an alert;
 * everything else must go through, uncharged.
 */
export async function poison(stage: Stage): Promise<Ledger[]> {
  const { servers, pool, db, options, signal } = stage
  const cases = createCases(options)
  for (const { outbox, poison: bad, mates } of cases) {
    await write(pool, outbox, [...mates, bad])
  }
  const settings = {
    outboxes: cases.map(({ outbox }) => outbox.name),
    poison: cases.map(({ poison: bad }) => bad.id),
  }
  const relays = startRelays(stage, { name: 'poisoned', size: 2, settings })
  try {
    const hasDied = () => Promise.resolve(relays.exits.length > 0)
    await until(hasDied, { withinMs: WITHIN_MS, signal })
    for (const { outbox, late } of cases) await write(pool, outbox, late)
    const courses = await Promise.all(cases.map((each) => follow(stage, each)))
    const deaths = [...relays.exits]
    for (const { outbox, late } of cases) {
      const wanted = MESSAGES - 1 + late.length
      const isDone = async () => (await countEffects(db, outbox.name)) >= wanted
      await until(isDone, { withinMs: WITHIN_MS, signal })
    }
    await relays.stop()
    const arrivals = await readArrivals(servers.folder)
    return [
      deathLedger(deaths),
      ...(await Promise.all(
        cases.map((each, i) => ledgerOf(stage, each, { course: courses[i] as Course, arrivals })),
      )),
    ]
  } finally {
    await relays.stop()
  }
}

function createCases({ seed, storage }: Stage['options']): Case[] {
  const random = createRandom(seed)
  return [poisonedKeys[storage], poisonedRows].map((outbox) => {
    const events = Array.from({ length: MESSAGES }, (_, i) => eventOf(i))
    // Among the first of its key, so that there is something behind it.
    const bad = events[random.below(2 * KEYS.length)] as Entry
    return {
      outbox,
      poison: bad,
      mates: events.filter(({ id }) => id !== bad.id),
      late: KEYS.map((_, i) => eventOf(MESSAGES + i)).filter(({ key }) => key !== bad.key),
    }
  })
}

/** Dealt out to the keys in turn. */
function eventOf(i: number): Entry {
  return {
    id: uuid(),
    key: KEYS[i % KEYS.length] as string,
    n: Math.floor(i / KEYS.length) + 1,
  }
}

async function write(
  pool: Pool,
  outbox: Outbox<EventRow>,
  entries: readonly Entry[],
): Promise<void> {
  // The poisoned one goes where it belongs: order is by the sequence of writing.
  const sorted = [...entries].sort((a, b) => a.n - b.n)
  await transaction(pool, async (tx) => {
    await insertEntries(tx, outbox.name, sorted)
    const rows = sorted.map(({ id, key, n }) => ({ id, key, n: String(n) }))
    await enqueueAll(tx, outbox, rows)
  })
}

/** Waits for the end of the poisoned message and of all that need not wait behind it. */
async function follow(stage: Stage, { outbox, poison: bad }: Case): Promise<Course> {
  const { pool, db, signal } = stage
  let last = await selectPoisoning(db, outbox, bad)
  let { lostClaims } = last
  const check = async () => {
    last = await selectPoisoning(db, outbox, bad)
    lostClaims = Math.max(lostClaims, last.lostClaims)
    return last.endedMs !== null && last.waiting === 0
  }
  const isOver = await until(check, { withinMs: WITHIN_MS, signal })
  const stuck = isOver ? [] : await selectStuck(db, outbox)
  const { blocked } = last
  // The key goes on when an operator says so.
  if (outbox.order)
    await transaction(pool, (tx) => unblock(tx, outbox, { key: bad.key, by: 'crash' }))
  return { isOver, last, lostClaims, blocked, stuck }
}

function deathLedger(deaths: readonly number[]): Ledger {
  return {
    title: 'poison: two messages that kill their relays, in two outboxes of the same relays',
    lines: [
      // The first death may take the batches of both outboxes with it.
      { name: 'relays killed', value: deaths.length, atLeast: DEATHS, atMost: 2 * DEATHS },
      {
        name: 'relays that ended otherwise',
        value: deaths.filter((s) => s !== 137).length,
        must: 0,
      },
    ],
    details: [deaths],
  }
}

async function ledgerOf(
  { db }: Stage,
  { outbox, poison: bad, mates, late }: Case,
  { course, arrivals }: { course: Course; arrivals: readonly Arrival[] },
): Promise<Ledger> {
  const others = mates.length + late.length
  const mine = arrivals.filter(({ source }) => source === outbox.name)
  const findings = audit({
    entries: (await selectEntries(db, outbox.name)).filter(({ id }) => id !== bad.id),
    rolledBack: new Set([bad.id]),
    arrivals: mine,
    effects: await selectEffects(db, outbox.name),
  })
  const standing = await selectStanding(db, outbox)
  const { last, lostClaims, blocked } = course
  const lateIds = new Set(late.map(({ id }) => id))
  const inTime = new Set(
    mine.filter((a) => lateIds.has(a.id) && a.atMs < (last.endedMs ?? 0)).map(({ id }) => id),
  )
  const behind = outbox.order ? mates.filter((e) => e.key === bad.key && e.n > bad.n).length : 0
  const ends = outbox.states.dead === undefined ? 'quarantined' : 'dead'
  const ordered: Line = { name: 'out of order', value: findings.outOfOrder, must: 0 }
  return {
    title: `poison: ${outbox.name}, ${MESSAGES} messages in one batch and ${late.length} later`,
    lines: [
      { name: ends, value: standing[ends], must: 1 },
      { name: 'alert', value: last.alertCodes.join(' '), must: 'CLAIM_FATAL' },
      { name: 'alerts', value: standing.alerts, must: 1 },
      { name: 'blocked behind it', value: blocked, must: behind },
      { name: 'most lost claims of another', value: lostClaims, atMost: 2 },
      { name: 'attempts charged to others', value: last.attempts, must: 0 },
      { name: 'others arrived', value: others - findings.missing, must: others },
      { name: 'later ones arrived before its end', value: inTime.size, atLeast: 1 },
      { name: 'it arrived', value: findings.ghosts, must: 0 },
      ...(outbox.order ? [ordered] : []),
      { name: 'effects doubled', value: findings.doubledEffects, must: 0 },
      { name: 'keys still held', value: standing.heldKeys, must: 0 },
      { name: 'orphan leases', value: standing.leases, must: 0 },
    ],
    details: course.stuck,
  }
}

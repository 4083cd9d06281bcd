import type { Outbox, Queryable } from '@posthorn/engine'
import type { Pool } from 'pg'
import { readArrivals } from '../kit/events/arrivals.ts'
import { audit, findingLines, type Findings } from '../kit/events/audit.ts'
import type { BrokerAddress } from './broker.ts'
import { startFleet, type Fleet } from '../kit/processes/fleet.ts'
import { spread, type Ledger, type Line } from '../kit/ledger.ts'
import type { Options } from './options.ts'
import type { RelaySettings } from './relay-process.ts'
import { stormEvents, type EventRow } from '../kit/events/outbox.ts'
import { keyNames, planBlows, planTransactions, type Blow } from '../kit/events/plan.ts'
import {
  countEffects,
  insertAccounts,
  selectEffects,
  selectEntries,
  selectLeases,
  selectStanding,
  selectStuck,
  type Standing,
} from '../kit/events/queries.ts'
import { createRandom } from '../kit/random.ts'
import type { Servers } from '../kit/servers/servers.ts'
import { pause, until } from '../kit/waiting.ts'
import { untilAnswered, write, type Written } from '../kit/events/writer.ts'

export interface Stage {
  readonly servers: Servers
  readonly broker: BrokerAddress
  readonly pool: Pool
  /** The same pool, for single statements. */
  readonly db: Queryable
  readonly consumers: Fleet
  readonly options: Options
  readonly signal: AbortSignal
}

/** What the blows did. */
interface Damage {
  relayKills: number
  consumerKills: number
  /** Messages that were claimed by a relay when it was killed. */
  inFlight: number
  /** From each kill until another relay had its buckets. */
  readonly recoveriesMs: number[]
  postgresMs: number
  brokerMs: number
}

/** Longest wait until another relay has taken a dead one's buckets, a dead Postgres included. */
const RECOVERY_MS = 60_000

/**
 * Relays deliver an ordered outbox while they are killed one after the other, Postgres and the
 * broker crash and come back, and the consumers die once each.
 */
export async function storm(stage: Stage): Promise<Ledger> {
  const { servers, pool, db, consumers, options, signal } = stage
  const events = stormEvents[options.storage]
  const random = createRandom(options.seed)
  const keys = keyNames(options.keys)
  await insertAccounts(db, events.name, keys)
  const settings = { outboxes: [events.name], poison: [] }
  const relays = startRelays(stage, { name: 'relay', size: options.relays, settings })
  try {
    await Promise.all([relays.ready, consumers.ready])
    const began = performance.now()
    const unwatch = options.watch ? showProgress(db, events) : () => undefined
    const durationMs = (options.messages / options.rate) * 1_000
    const blows = planBlows(random, { durationMs, kills: options.kills, relays: options.relays })
    const plan = planTransactions(random, { messages: options.messages, keys })
    const [written, damage] = await Promise.all([
      write(pool, { outbox: events, plan, rate: options.rate, signal }),
      strike(stage, relays, blows),
    ])
    const arrived = await until(() => isSettled(db, events, written), {
      withinMs: options.settleMs,
      signal,
    })
    unwatch()
    const seconds = (performance.now() - began) / 1_000
    const stuck = arrived ? [] : await selectStuck(db, events)
    await relays.stop()
    const findings = audit({
      entries: await selectEntries(db, events.name),
      rolledBack: written.rolledBack,
      arrivals: (await readArrivals(servers.folder)).filter(({ source }) => source === events.name),
      effects: await selectEffects(db, events.name),
    })
    const standing = await selectStanding(db, events)
    return {
      title: `storm in a ${options.storage}: ${options.messages} messages at ${options.rate}/s, seed ${options.seed}, ${servers.versions}`,
      lines: [
        ...countLines(written, damage, relays),
        ...promiseLines(options, findings),
        ...describeStanding(standing),
        ...timeLines(damage, written.seconds, seconds),
      ],
      details: [...stuck, { relays: relays.exits, consumers: consumers.exits }],
    }
  } finally {
    await relays.stop()
  }
}

/** Relays of these outboxes, which some messages end. */
export function startRelays(
  { servers, broker }: Stage,
  own: {
    readonly name: string
    readonly size: number
    readonly settings: Pick<RelaySettings, 'outboxes' | 'poison'>
  },
): Fleet {
  const { folder, databaseUrl } = servers
  const program = new URL('./relay-process.ts', import.meta.url)
  return startFleet({ ...own, program, folder, settings: { ...own.settings, databaseUrl, broker } })
}

async function strike(stage: Stage, relays: Fleet, blows: readonly Blow[]): Promise<Damage> {
  const damage: Damage = {
    relayKills: 0,
    consumerKills: 0,
    inFlight: 0,
    recoveriesMs: [],
    postgresMs: 0,
    brokerMs: 0,
  }
  const began = performance.now()
  // Each at its own time, independent of the others: a relay may well die while Postgres is away.
  await Promise.all(
    blows.map(async (blow) => {
      await pause(began + blow.atMs - performance.now(), stage.signal)
      await deal(stage, relays, { blow, damage })
    }),
  )
  return damage
}

async function deal(
  { servers, broker, consumers, db, signal }: Stage,
  relays: Fleet,
  { blow, damage }: { blow: Blow; damage: Damage },
): Promise<void> {
  const began = performance.now()
  switch (blow.kind) {
    case 'relay': {
      const relay = await relays.kill(blow.place)
      damage.relayKills += 1
      const { buckets, inFlight } = await untilAnswered(() => selectLeases(db, relay))
      damage.inFlight += inFlight
      // One that had only just started may have held nothing yet.
      if (buckets === 0) return
      const isTaken = async () => (await selectLeases(db, relay)).buckets === 0
      await until(isTaken, { withinMs: RECOVERY_MS, signal })
      damage.recoveriesMs.push(performance.now() - began)
      return
    }
    case 'consumer':
      await consumers.kill(blow.place)
      damage.consumerKills += 1
      return
    case 'postgres':
      await servers.crashPostgres()
      damage.postgresMs = performance.now() - began
      return
    case 'broker':
      await servers.crash(broker.kind)
      damage.brokerMs = performance.now() - began
      return
  }
}

async function isSettled(
  db: Queryable,
  events: Outbox<EventRow>,
  { committed }: Written,
): Promise<boolean> {
  const { waiting, held, heldKeys } = await selectStanding(db, events)
  if (waiting + held + heldKeys > 0) return false
  return (await countEffects(db, events.name)) >= committed
}

function countLines(written: Written, damage: Damage, relays: Fleet): Line[] {
  return [
    { name: 'written', value: written.committed },
    { name: 'rolled back', value: written.rolledBack.size },
    { name: 'transactions repeated', value: written.repeated },
    { name: 'relay kills', value: damage.relayKills },
    { name: 'consumer kills', value: damage.consumerKills },
    { name: 'relays that ended by themselves', value: relays.exits.length, must: 0 },
    { name: 'claims lost with their relay', value: damage.inFlight },
    { name: 'claims lost by the living', value: relays.lostClaims },
  ]
}

function promiseLines({ messages }: Options, findings: Findings): Line[] {
  const { latenciesMs, missingEffects, doubledEffects } = findings
  return [
    { name: 'arrived', value: latenciesMs.length, must: messages },
    { name: 'effects', value: messages - missingEffects + doubledEffects, must: messages },
    ...findingLines(findings, true),
  ]
}

function describeStanding(standing: Standing): Line[] {
  const { waiting, held, heldKeys, dead, quarantined, alerts, leases, runs } = standing
  return [
    { name: 'still ready', value: waiting, must: 0 },
    { name: 'still held', value: held, must: 0 },
    { name: 'keys still held', value: heldKeys, must: 0 },
    { name: 'dead or quarantined', value: dead + quarantined, must: 0 },
    { name: 'alerts', value: alerts, must: 0 },
    { name: 'orphan leases', value: leases, must: 0 },
    { name: 'orphan runs', value: runs, must: 0 },
    { name: 'attempts charged', value: standing.attempts },
  ]
}

function timeLines(damage: Damage, writingSeconds: number, seconds: number): Line[] {
  return [
    { name: 'writing', value: `${writingSeconds.toFixed(1)} s` },
    { name: 'until all had arrived', value: `${seconds.toFixed(1)} s` },
    { name: 'Postgres away', value: spread([damage.postgresMs], [1]) },
    { name: 'broker away', value: spread([damage.brokerMs], [1]) },
    { name: 'recovery after a kill p50/max', value: spread(damage.recoveriesMs, [0.5, 1]) },
  ]
}

const SHOW_MS = 2_000

/** Prints how far an outbox is; returns what ends it. */
function showProgress(db: Queryable, outbox: Outbox<EventRow>): () => void {
  const began = performance.now()
  const show = async () => {
    const seconds = ((performance.now() - began) / 1_000).toFixed(0).padStart(4)
    const { sent, waiting, held, heldKeys } = await selectStanding(db, outbox)
    const effects = await countEffects(db, outbox.name)
    const keys = `${held} held of ${heldKeys} keys`
    console.log(`${seconds} s  ${sent} sent, ${waiting} waiting (${keys}), ${effects} effects`)
  }
  // The database is away now and then, on purpose.
  const timer = setInterval(() => void show().catch(() => undefined), SHOW_MS)
  return () => clearInterval(timer)
}

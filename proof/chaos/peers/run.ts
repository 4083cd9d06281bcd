import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@posthorn/engine'
import { Pool } from 'pg'
import { readArrivals } from '../../kit/events/arrivals.ts'
import { audit } from '../../kit/events/audit.ts'
import { startFleet, type Fleet } from '../../kit/processes/fleet.ts'
import type { Ledger } from '../../kit/ledger.ts'
import { keyNames } from '../../kit/events/plan.ts'
import { insertAccounts, selectEffects, selectEntries } from '../../kit/events/queries.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import type { Servers } from '../../kit/servers/servers.ts'
import { pause, until } from '../../kit/waiting.ts'
import { persist, type Target } from '../../kit/events/writer.ts'
import type { Contestant } from './contestant.ts'
import { contestants } from './contestants.ts'
import type { Left } from './queries.ts'

export interface PeersOptions {
  readonly seed: number
  readonly seconds: number
}

const KEYS = keyNames(40)
/** Messages a second of each contestant. */
const RATE = 25
const PROCESSES = 2

/** A kill or a stop every so often; the stops outlast every lock that runs out. */
const EVERY_MS = 3_000
const STOPPED_MS = 6_000

/** So long nothing may move before it is said to be stuck. */
const STILL_MS = 60_000

/** The same writers, handlers and faults for all of them, in one database. */
export async function runPeers(
  servers: Servers,
  options: PeersOptions,
  signal: AbortSignal,
): Promise<Ledger[]> {
  const { databaseUrl, folder } = servers
  const pool = new Pool({ connectionString: databaseUrl, max: 40 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const teams: Team[] = []
  try {
    // One after the other: the first creates the tables that all are counted by.
    for (const contestant of contestants) {
      const target = await contestant.prepare(pool)
      await insertAccounts(pool, target.source, KEYS)
      const fleet = startFleet({
        ...{ program: new URL('./worker-process.ts', import.meta.url), size: PROCESSES, folder },
        name: contestant.name,
        settings: { contestant: contestant.name, databaseUrl, folder },
      })
      teams.push({ contestant, target, fleet })
    }
    await Promise.all(teams.map(({ fleet }) => fleet.ready))
    const [damage] = await Promise.all([
      strike(servers, teams, { ...options, signal }),
      ...teams.map(({ target }) => writeAll(pool, target, { ...options, signal })),
    ])
    const stuck = new Map<string, Left>()
    await Promise.all(
      teams.map(async ({ contestant }) => {
        await untilStill(pool, contestant, signal)
        stuck.set(contestant.name, await contestant.left(pool))
        if (!contestant.unlock) return
        await contestant.unlock(pool)
        await untilStill(pool, contestant, signal)
      }),
    )
    await Promise.all(teams.map(({ fleet }) => fleet.stop()))
    const ledgers: Ledger[] = []
    for (const team of teams) {
      ledgers.push(
        await ledgerOf({ pool, folder, damage, stuck: stuck.get(team.contestant.name) }, team),
      )
    }
    return ledgers
  } finally {
    await Promise.all(teams.map(({ fleet }) => fleet.stop()))
    await pool.end()
  }
}

interface Team {
  readonly contestant: Contestant
  readonly target: Target
  readonly fleet: Fleet
}

interface Timed extends PeersOptions {
  readonly signal: AbortSignal
}

/**
 * One message a transaction, and the messages of a key one after the other: an order that depends on
 * when a transaction began is then the order of the commits, too.
 */
async function writeAll(pool: Pool, target: Target, { seconds, signal }: Timed): Promise<void> {
  const pauseMs = (KEYS.length / RATE) * 1_000
  const began = performance.now()
  await Promise.all(
    KEYS.map(async (key, place) => {
      await pause((place / KEYS.length) * pauseMs, signal)
      for (let i = 0; performance.now() - began < seconds * 1_000; i += 1) {
        const dueMs = began + (i + place / KEYS.length) * pauseMs - performance.now()
        await pause(dueMs, signal)
        await persist(pool, target, { planned: { key, size: 1, rollsBack: false }, ids: [uuid()] })
      }
    }),
  )
}

interface Damage {
  kills: number
  stops: number
  restarts: number
}

/** The same for all at the same time: `kill -9`, SIGSTOP, and once Postgres is killed. */
async function strike(
  servers: Servers,
  teams: readonly Team[],
  { seed, seconds, signal }: Timed,
): Promise<Damage> {
  const random = createRandom(seed)
  const damage: Damage = { kills: 0, stops: 0, restarts: 0 }
  const under: Promise<unknown>[] = []
  const blows = Math.floor((seconds * 1_000) / EVERY_MS)
  for (let blow = 0; blow < blows; blow += 1) {
    await pause(EVERY_MS, signal)
    if (blow === Math.floor(blows / 2)) {
      damage.restarts += 1
      under.push(servers.crashPostgres())
    }
    under.push(strikeOnce(teams, random, damage))
  }
  await Promise.all(under)
  return damage
}

async function strikeOnce(teams: readonly Team[], random: Random, damage: Damage): Promise<void> {
  const place = random.below(PROCESSES)
  if (random.fraction() < 0.5) {
    damage.kills += 1
    await Promise.all(teams.map(({ fleet }) => fleet.kill(place)))
    return
  }
  damage.stops += 1
  const stopped = teams.map(({ fleet }) => fleet.suspend(place))
  await sleep(STOPPED_MS)
  stopped.forEach((each) => each.resume())
}

/** Waits until nothing is left, or nothing moves any more. */
async function untilStill(pool: Pool, contestant: Contestant, signal: AbortSignal): Promise<void> {
  let before = ''
  let movedMs = performance.now()
  const isStill = async () => {
    const left = await contestant.left(pool)
    const now = performance.now()
    if (JSON.stringify(left) !== before) movedMs = now
    before = JSON.stringify(left)
    return left.waiting === 0 || now - movedMs > STILL_MS
  }
  await until(isStill, { withinMs: 10 * STILL_MS, signal })
}

interface Books {
  readonly pool: Pool
  readonly folder: string
  readonly damage: Damage
  readonly stuck: Left | undefined
}

async function ledgerOf(
  { pool, folder, damage, stuck }: Books,
  { contestant, target: { source }, fleet }: Team,
): Promise<Ledger> {
  const found = audit({
    entries: await selectEntries(pool, source),
    rolledBack: new Set(),
    arrivals: (await readArrivals(folder)).filter((arrival) => arrival.source === source),
    effects: await selectEffects(pool, source),
  })
  const after = await contestant.left(pool)
  const ours = contestant.name === 'posthorn' ? { must: 0 } : {}
  return {
    title: `${contestant.name} ${contestant.version}: ${contestant.settings}`,
    lines: [
      { name: 'kills, stops, restarts of Postgres', value: Object.values(damage).join(', ') },
      { name: 'written', value: (await selectEntries(pool, source)).length, atLeast: 1 },
      { name: 'not handled when nothing moved any more', value: stuck?.waiting ?? 0, ...ours },
      { name: 'locked then', value: stuck?.locked ?? 0, ...ours },
      { name: 'lost', value: found.missingEffects, ...ours },
      { name: 'handled more than once', value: found.duplicates },
      { name: 'effects beyond once', value: found.doubledEffects, ...ours },
      { name: 'out of order', value: found.effectsOutOfOrder, ...ours },
      { name: 'locked at the end', value: after.locked, ...ours },
      { name: 'workers that ended by themselves', value: fleet.crashes.length },
    ],
    details: [stuck, after],
  }
}

import { sql, type MigrationSet, type Queryable } from '@posthorn/engine'
import { Pool } from 'pg'
import { audit, findingLines, type Findings } from '../kit/events/audit.ts'
import { startFleet, type Fleet } from '../kit/processes/fleet.ts'
import { namedLines, type Ledger, type Line } from '../kit/ledger.ts'
import { keyNames } from '../kit/events/plan.ts'
import { pause, until } from '../kit/waiting.ts'
import { currentSource, loadEngine, type Engine } from './engine.ts'
import { readArrivals } from '../kit/events/arrivals.ts'
import { insertAccounts, schemaOf, selectEffects, selectEntries } from '../kit/events/queries.ts'
import { ACCOUNTS, outboxesOf } from './outboxes.ts'
import type { Previous } from './previous.ts'

export interface UpgradeOptions {
  readonly databaseUrl: string
  readonly folder: string
  readonly previous: Previous
  readonly seed: number
  /** Of each of the six phases. */
  readonly phaseMs: number
  /** Messages a second of each writer. */
  readonly rate: number
  readonly keys: number
  /** Longest wait, after the last message was written, until all have arrived. */
  readonly settleMs: number
  readonly signal: AbortSignal
}

/** What was seen under way. */
interface Course {
  /** Deliveries by relays of the version before, once the database was migrated. */
  readonly oldAfterMigration: number
  /** … by those of them that were started after that. */
  readonly oldRestarted: number
  /** … while those of the new version were taken back. */
  readonly oldAlone: number
  readonly newBeside: number
  readonly newAfterNewer: number
  /** What a process of each version says of a database that is newer than it. */
  readonly oldReady: string
  readonly newReady: string
}

/** Relays and writers of two versions on one database, there and back, migrated under load. */
export async function upgrade(options: UpgradeOptions): Promise<Ledger> {
  const { databaseUrl, previous, signal } = options
  const pool = new Pool({ connectionString: databaseUrl, max: 4 })
  const db = pool as unknown as Queryable
  const [old, current] = await Promise.all([loadEngine(previous.source), loadEngine(currentSource)])
  const keys = keyNames(options.keys)
  const fleets = new Set<Fleet>()
  try {
    await old.migrate(pool, [await old.engineMigrations()])
    await pool.query(schemaOf(outboxesOf(old), old))
    await insertAccounts(db, ACCOUNTS, keys)
    const began = performance.now()
    const course = await roll({ options, pool, old, current, keys, fleets })
    const isSettled = async () => {
      const { unsent, heldKeys } = await selectRest(db)
      return unsent + heldKeys === 0
    }
    await until(isSettled, { withinMs: options.settleMs, signal })
    const seconds = (performance.now() - began) / 1_000
    const exits = [...fleets].flatMap((fleet) => [...fleet.exits])
    await Promise.all([...fleets].map((fleet) => fleet.stop()))
    const rest = await selectRest(db)
    const found: Line[] = []
    for (const { name, order } of outboxesOf(current)) {
      const findings = await findingsOf(db, options.folder, name)
      const arrived = { name: 'arrived', value: findings.latenciesMs.length, atLeast: 1 }
      const own = [arrived, ...findingLines(findings, order !== undefined)]
      found.push(...namedLines(name, own))
    }
    return {
      title: `upgrade from ${previous.commit.slice(0, 7)}, seed ${options.seed}`,
      lines: [
        ...courseLines(course),
        { name: 'processes that ended by themselves', value: exits.length, must: 0 },
        ...found,
        ...restLines(rest),
        { name: 'until all had arrived', value: `${seconds.toFixed(1)} s` },
      ],
      details: [{ exits }],
    }
  } finally {
    await Promise.all([...fleets].map((fleet) => fleet.stop()))
    await pool.end()
  }
}

interface Stage {
  readonly options: UpgradeOptions
  readonly pool: Pool
  readonly old: Engine
  readonly current: Engine
  readonly keys: readonly string[]
  readonly fleets: Set<Fleet>
}

/** There: old alone, migrated, both, kills, a newer migration still. Back: old alone. There again. */
async function roll({ options, pool, old, current, keys, fleets }: Stage): Promise<Course> {
  const { databaseUrl, folder, previous, seed, rate, phaseMs, signal } = options
  const start = async (what: 'relay' | 'writer', version: 'old' | 'new', name: string) => {
    const source = version === 'old' ? previous.source : currentSource
    const fleet = startFleet({
      program: new URL(`./${what}-process.ts`, import.meta.url),
      name,
      size: what === 'relay' ? 2 : 1,
      folder,
      settings: { databaseUrl, folder, source, seed, keys, rate },
    })
    fleets.add(fleet)
    await fleet.ready
    return fleet
  }
  const phase = async (name: string) => {
    console.log(`${name} …`)
    await pause(phaseMs, signal)
  }

  const oldRelays = await start('relay', 'old', 'old')
  const oldWriter = await start('writer', 'old', 'old-writer')
  await phase('the version before, alone')

  const sets = [await current.engineMigrations()]
  await current.migrate(pool, sets)
  const atMigration = await countArrivals(folder, 'old-')
  const newRelays = await start('relay', 'new', 'new')
  const newWriter = await start('writer', 'new', 'new-writer')
  await phase('migrated, both versions')
  const oldReady = await readiness(old, pool)
  const newBeside = await countArrivals(folder, 'new-')

  await Promise.all([oldRelays.kill(0), newRelays.kill(0)])
  await phase('a relay of each was killed')

  await current.migrate(pool, [withNewer(sets)])
  const newReady = await readiness(current, pool)
  const beforeNewer = await countArrivals(folder, 'new-')
  await newRelays.kill(1)
  await phase('a newer migration still')
  const newAfterNewer = (await countArrivals(folder, 'new-')) - beforeNewer

  await Promise.all([newRelays.stop(), newWriter.stop()])
  const atReturn = await countArrivals(folder, 'old-')
  await phase('taken back')
  const oldAlone = (await countArrivals(folder, 'old-')) - atReturn

  await start('relay', 'new', 'again')
  const lastWriter = await start('writer', 'new', 'again-writer')
  await Promise.all([oldRelays.stop(), oldWriter.stop()])
  await phase('the new version, alone')
  await lastWriter.stop()
  const oldAfterMigration = (await countArrivals(folder, 'old-')) - atMigration
  const oldRestarted = await countArrivals(folder, 'old-0.2')
  return {
    ...{ oldAfterMigration, oldRestarted, oldAlone, newBeside, newAfterNewer },
    ...{ oldReady, newReady },
  }
}

function withNewer([engine]: readonly MigrationSet[]): MigrationSet {
  const migrations = engine?.migrations ?? []
  const newer = { id: '9999_newer', sql: newerMigration, checksum: 'newer' }
  return { name: 'engine', migrations: [...migrations, newer] }
}

/** What /readyz asks, and what a process does at its start. */
async function readiness(engine: Engine, pool: Pool): Promise<string> {
  const sets = [await engine.engineMigrations()]
  try {
    await engine.migrationStatus(pool, sets)
    await engine.migrate(pool, sets)
    return 'ready'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** Deliveries so far by relays whose names begin so. */
async function countArrivals(folder: string, relay: string): Promise<number> {
  return (await readArrivals(folder)).filter(({ by }) => by.startsWith(relay)).length
}

async function findingsOf(db: Queryable, folder: string, source: string): Promise<Findings> {
  const arrivals = await readArrivals(folder)
  return audit({
    entries: await selectEntries(db, source),
    rolledBack: new Set(),
    arrivals: arrivals.filter((each) => each.source === source),
    effects: await selectEffects(db, source),
  })
}

function courseLines(course: Course): Line[] {
  return [
    { name: 'version before, on newer tables', value: course.oldReady, must: 'ready' },
    { name: 'this version, on newer tables', value: course.newReady, must: 'ready' },
    { name: 'by old relays after the migration', value: course.oldAfterMigration, atLeast: 1 },
    { name: 'by an old relay started after it', value: course.oldRestarted, atLeast: 1 },
    { name: 'by old relays when taken back', value: course.oldAlone, atLeast: 1 },
    { name: 'by new relays beside old ones', value: course.newBeside, atLeast: 1 },
    { name: 'by new relays after a newer one', value: course.newAfterNewer, atLeast: 1 },
  ]
}

function restLines({ unsent, heldKeys, leases, alerts }: Rest): Line[] {
  return [
    { name: 'not sent', value: unsent, must: 0 },
    { name: 'keys still held', value: heldKeys, must: 0 },
    { name: 'orphan leases', value: leases, must: 0 },
    { name: 'alerts', value: alerts, must: 0 },
  ]
}

/** Messages that are not where they should be in the end. */
interface Rest {
  readonly unsent: number
  readonly heldKeys: number
  readonly leases: number
  readonly alerts: number
}

async function selectRest(db: Queryable): Promise<Rest> {
  const { rows } = await db.query<Rest>(sql`
    select ((select count(*) from crash.key_event where status <> 'sent')
             + (select count(*) from crash.row_event where status <> 'sent'))::int as unsent,
           (select count(*) from posthorn.held_key)::int as "heldKeys",
           ((select count(*) from posthorn.bucket as b join posthorn.session as s on s.id = b.session and s.until is not null)
             + (select count(*) from crash.row_event where claim_token is not null))::int as leases,
           (select count(*) from posthorn.alert)::int as alerts`)
  return rows[0] as Rest
}

/** A migration of the version after the one under test. */
const newerMigration = `
alter table posthorn.session add column from_the_future text;`

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate, type Outbox } from '@posthorn/engine'
import { useMovableClock } from '@posthorn/operate'
import { allMigrations, loadSystems } from '@posthorn/server'
import { Pool } from 'pg'
import { createDatabase, databaseAt, onClient } from '../kit/database.ts'
import { SERVER_FLAGS, SERVER_PROCESS } from '../kit/processes/child.ts'
import { readArrivals } from '../kit/events/arrivals.ts'
import { startFleet, type Fleet } from '../kit/processes/fleet.ts'
import type { Ledger, Line } from '../kit/ledger.ts'
import { createRandom } from '../kit/random.ts'
import type { Servers } from '../kit/servers/servers.ts'
import { limitFiles, mountDisk, type SmallDisk } from '../kit/servers/small-disk.ts'
import { LANES } from '../kit/events/writer.ts'
import { planFaults, strikeAll, type FaultLog } from './faults/course.ts'
import { findPorts, openIngress } from '../kit/stand/ingress.ts'
import { auditLines, consumerLines, outboxLines } from '../kit/stand/engine-lines.ts'
import { eventLines } from './events/ledger.ts'
import { measureRoles, processLines } from './processes.ts'
import { selectLeftLeases } from '../kit/stand/queries.ts'
import { settle, type Settled } from '../kit/stand/settling.ts'
import { readOutboxes } from '../kit/stand/stand.ts'
import { startWitness } from '../kit/stand/witness.ts'
import { openLines, type Lines } from './lines.ts'
import { createClient } from '../kit/stand/client.ts'
import { prepareEvents, writeEvents } from './events/load.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'
import type { Options } from './options.ts'
import { nameOf, ROLES, type Role, type Stage } from './stage.ts'
import { openWorld, serviceEnv } from '../kit/stand/world.ts'

const ORG = 'chaos'
const DATABASE = 'chaos'
const SYSTEM = fileURLToPath(new URL('system.ts', import.meta.url))

/** Small waits, so that a run of minutes sees many of them. */
const SETTINGS = {
  POSTHORN_CONFIG: SYSTEM,
  POSTHORN_RATE_LIMIT: '0',
  POSTHORN_LOG_LEVEL: 'warn',
  POSTHORN_MIGRATE: 'check',
  POSTHORN_POOL_SIZE: '8',
  KAFKA_SESSION_MS: '6000',
} as const

export interface ChaosRun {
  /** Where the faults are noted. */
  readonly log: FaultLog
  readonly signal: AbortSignal
}

export async function runChaos(
  servers: Servers,
  options: Options,
  { log, signal: interrupted }: ChaosRun,
): Promise<Ledger[]> {
  // What fails ends the others too: servers are stopped only when no fault starts one any more.
  const failed = new AbortController()
  const signal = AbortSignal.any([interrupted, failed.signal])
  await using opened = new AsyncDisposableStack()
  const megabytes = Math.round(256 + (options.durationMs / 60_000) * 64)
  const mounted = await mountDisk(servers.postgresFolder, megabytes)
  const disk = mounted ?? (await limitFiles(servers.postgresFolder))
  const databaseUrl = await createOwnDatabase(servers.databaseUrl, disk?.path)
  const pool = new Pool({ connectionString: databaseUrl, max: 2 * LANES + 8 })
  // The server is killed on purpose; queries under way fail where they are awaited.
  pool.on('error', () => undefined)
  opened.defer(() => pool.end())

  const ports = await findPorts(options.processes)
  const ingress = await openIngress(ports)
  opened.defer(() => ingress.close())
  const world = await openWorld(pool, ingress.url)
  opened.defer(() => world.close())
  const secret = randomBytes(32).toString('base64url')
  const common = {
    ...SETTINGS,
    ...world.env({ broker: 'kafka', isImpatient: true }),
    ...serviceEnv(servers.env),
    DATABASE_URL: databaseUrl,
    POSTHORN_BASE_URL: ingress.url,
    POSTHORN_DATA_DIR: join(servers.folder, 'data'),
    POSTHORN_JWT_SECRET: secret,
    CHAOS_FOLDER: servers.folder,
    PROCESS_NAME: 'parent',
  }
  await migrate(pool, await allMigrations(await loadSystems(common)))
  await useMovableClock(pool)
  const outboxes = await readOutboxes(pool, common)

  // The last process of each role has a pooler in front of Postgres, where it is not the only one.
  const pooler = options.processes > 1 ? await servers.startPooler() : undefined
  const pooled = pooler && {
    DATABASE_URL: databaseAt(pooler.url, DATABASE),
    POSTHORN_RELAY_MODE: 'poll',
  }
  const envOf = (place: number) => ({
    ...common,
    ...(place === options.processes - 1 && pooled),
  })
  const lines = new Map<string, Lines>()
  opened.defer(async () => {
    for (const each of lines.values()) await each.close()
  })
  for (const role of ROLES) {
    for (let place = 0; place < options.processes; place += 1) {
      lines.set(nameOf({ role, place }), await openLines(envOf(place)))
    }
  }
  const startRole = (role: Role): Fleet =>
    startFleet({
      program: SERVER_PROCESS,
      name: role,
      size: options.processes,
      folder: servers.folder,
      flags: SERVER_FLAGS,
      settings: (place: number) => ({
        env: {
          ...envOf(place),
          ...lines.get(nameOf({ role, place }))?.env,
          POSTHORN_ROLES: role,
          ...(role === 'api' && { PORT: String(ports[place]) }),
        },
      }),
    })
  const fleets = { api: startRole('api'), relay: startRole('relay'), worker: startRole('worker') }
  const stopAll = () => Promise.all(ROLES.map((role) => fleets[role].stop()))
  opened.defer(async () => void (await stopAll()))
  await Promise.all(ROLES.map((role) => fleets[role].ready))
  const before = await measureRoles(fleets)

  const stage: Stage = {
    ...{ servers, pooler, pool, fleets, world, outboxes, disk, signal },
    linesOf: (member) => lines.get(nameOf(member)) as Lines,
  }
  const witness = startWitness(world)
  const client = await createClient(ingress.url, { secret, org: ORG })
  const over = new AbortController()
  const random = createRandom(options.seed)
  const wanted = systemProofs.filter(({ name }) => options.systems.includes(name))
  const context = { client, random, rate: 1, world, over: over.signal }
  for (const load of wanted) await load.prepare?.(context)
  await prepareEvents(pool)

  const began = performance.now()
  const ending = setTimeout(() => over.abort(), options.durationMs)
  const striking = strikeAll(stage, planFaults(options, outboxes), log)
  const writing = writeEvents(pool, { ...options, signal })
  const work = [striking, writing, ...wanted.map((load) => load.run(context))]
  try {
    await Promise.all(work)
  } catch (error) {
    failed.abort(error)
    over.abort()
    await Promise.allSettled([striking, writing])
    throw error
  } finally {
    clearTimeout(ending)
  }
  const events = await writing
  const loadSeconds = (performance.now() - began) / 1_000

  const settled = await settle({
    ...{ pool, outboxes, events, client, signal },
    cutOff: () => ingress.close(),
    withinMs: options.settleMs,
    actEveryMs: options.actEveryMs,
  })
  await Promise.all(ROLES.map((role) => fleets[role].settled()))
  const after = await measureRoles(fleets)
  await stopAll()
  await witness.close()

  const arrivals = await readArrivals(servers.folder)
  const systems: Ledger[] = []
  for (const { name, lines: promise } of wanted) {
    const found = await promise({ db: pool, world, witness, arrivals, answers: client.answers })
    systems.push({ title: name, lines: found })
  }
  const { asked, repeated, unanswered } = client.counts
  return [
    {
      title: `chaos: ${log.lines.length / 2} faults in ${loadSeconds.toFixed(0)} s, seed ${options.seed}, ${servers.versions}`,
      lines: [
        ...faultLines(log, disk),
        // The clock begins with the process.
        { name: 'until the load began', value: `${(began / 1_000).toFixed(1)} s` },
        { name: 'requests', value: asked },
        { name: 'answers compared with the books', value: client.answers.length, atLeast: 1 },
        { name: 'requests repeated', value: repeated },
        { name: 'requests without an answer', value: unanswered, must: 0 },
        ...replayLines(outboxes, settled),
        { name: 'until all had ended', value: `${settled.seconds.toFixed(1)} s` },
        {
          name: 'not ended',
          value: Object.keys(settled.rest).join(', ') || 'none',
          must: 'none',
        },
      ],
      details: [settled.rest],
    },
    {
      title: 'engine',
      lines: [
        ...(await outboxLines(pool, outboxes)),
        ...(await consumerLines(pool, events)),
        ...(await auditLines(pool)),
        ...(await eventLines(pool, arrivals, events)),
      ],
      details: await selectLeftLeases(pool),
    },
    ...systems,
    { title: 'processes', lines: processLines(fleets, { before, after }) },
  ]
}

/** A database of its own, with its tables on the small disk. */
async function createOwnDatabase(url: string, disk?: string): Promise<string> {
  if (disk === undefined) return createDatabase(url, DATABASE)
  const location = `create tablespace small location '${disk}'`
  await onClient(url, (client) => client.query(location))
  return createDatabase(url, DATABASE, 'tablespace small')
}

function faultLines({ counts }: FaultLog, disk: SmallDisk | undefined): Line[] {
  const struck = [...counts].map(([name, value]) => ({ name: `fault: ${name}`, value }))
  const full = 'fault: disk full'
  if (!disk) {
    const missing = { name: full, value: 'left out: neither mounts nor limits are allowed here' }
    return [...struck.filter(({ name }) => name !== full), missing]
  }
  const how = disk.path === undefined ? 'a limit on the size of files' : 'a small file system'
  return [...struck, { name: 'a disk is full by', value: how }]
}

/** Of an outbox whose policy never gives up, nothing may need an operator. */
function replayLines(outboxes: readonly Outbox[], { replayedOf }: Settled): Line[] {
  const endless = outboxes.filter(({ states }) => states.dead === undefined)
  const byPolicy = endless.map(({ name }) => ({
    name: `sent again by the operator: ${name}`,
    value: replayedOf.get(name) ?? 0,
    must: 0,
  }))
  const others = [...replayedOf].filter(([name]) => endless.every((each) => each.name !== name))
  return [
    ...byPolicy,
    ...others.map(([name, value]) => ({ name: `sent again by the operator: ${name}`, value })),
  ]
}

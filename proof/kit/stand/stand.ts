import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { silentLog, type Outbox } from '@posthorn/engine'
import { loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import { Pool } from 'pg'
import { findPorts, openIngress } from './ingress.ts'
import { auditLines, outboxLines } from './engine-lines.ts'
import { settle, type Settled, type Settling } from './settling.ts'
import { startWitness } from './witness.ts'
import { createClient, type Client } from './client.ts'
import { systemProofs } from './system-proof.ts'
import { openWorld, serviceEnv } from './world.ts'
import type { Ledger } from '../ledger.ts'
import { createRandom } from '../random.ts'
import { Processes } from './processes.ts'

const SETTINGS = {
  POSTHORN_RATE_LIMIT: '0',
  POSTHORN_LOG_LEVEL: 'warn',
  POSTHORN_POOL_SIZE: '8',
} as const

/** Where the run's servers are; without brokers, topics are in PostgreSQL. */
export interface Surroundings {
  readonly databaseUrl: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly versions: string
}

/** Whole servers on one database, with an outside world, clients and a ledger. */
export interface Stand {
  readonly pool: Pool
  readonly env: Readonly<Record<string, string>>
  readonly processes: Processes
  readonly client: Client
  /** Puts all systems under load; the function that it returns ends it, and waits for all answers. */
  load(): Promise<() => Promise<void>>
  settle(options: SettleOptions): Promise<Settled>
  /** Once no process runs any more. */
  ledgers(): Promise<Ledger[]>
  [Symbol.asyncDispose](): Promise<void>
}

export interface SettleOptions extends Pick<Settling, 'withinMs' | 'signal'> {
  /** The server has forgotten reports of the outside world, which sends each once. */
  readonly isLossy?: boolean
}

export interface StandOptions {
  readonly servers: Surroundings
  readonly seed: number
  readonly previousRoot?: string
  /** Settings of the processes beside those that all runs have in common. */
  readonly env?: Readonly<Record<string, string>>
}

export async function openStand(options: StandOptions): Promise<Stand> {
  const { servers, seed, previousRoot } = options
  await using opened = new AsyncDisposableStack()
  const pool = new Pool({ connectionString: servers.databaseUrl, max: 8 })
  // The server may be killed on purpose; queries under way fail where they are awaited.
  pool.on('error', () => undefined)
  opened.defer(() => pool.end())
  const ports = await findPorts(6)
  const ingress = await openIngress(ports)
  opened.defer(() => ingress.close())
  const world = await openWorld(pool, ingress.url)
  opened.defer(() => world.close())
  const broker = servers.env['KAFKA_BROKERS'] === undefined ? 'topics' : 'kafka'
  const secret = randomBytes(32).toString('base64url')
  const env: Record<string, string> = {
    ...SETTINGS,
    ...world.env({ broker, isImpatient: false }),
    ...serviceEnv(servers.env),
    DATABASE_URL: servers.databaseUrl,
    POSTHORN_BASE_URL: ingress.url,
    POSTHORN_DATA_DIR: join(servers.folder, 'data'),
    POSTHORN_JWT_SECRET: secret,
    POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    ...options.env,
  }
  const processes = new Processes({
    ...{ ports, env, folder: servers.folder },
    ...(previousRoot !== undefined && { previousRoot }),
  })
  opened.defer(() => processes.stop())
  const client = await createClient(ingress.url, { secret, org: 'upgrade', role: 'operator' })
  const witness = startWitness(world)
  opened.defer(() => witness.close())
  const outboxes = () => readOutboxes(pool, env)
  const parts = opened.move()
  return {
    ...{ pool, env, processes, client },
    async load() {
      const over = new AbortController()
      const random = createRandom(seed)
      const context = { client, random, world, over: over.signal, rate: 1 }
      for (const load of systemProofs) await load.prepare?.(context)
      const loading = Promise.all(systemProofs.map((load) => load.run(context)))
      return async () => {
        over.abort()
        await loading
      }
    },
    async settle({ withinMs, signal, isLossy = false }) {
      const events = { byOutbox: new Map(), poison: [], indigestible: [] }
      const cutOff = () => ingress.close()
      const stage = { pool, outboxes: await outboxes(), events, client, cutOff }
      return settle({ ...stage, actEveryMs: 5_000, signal, withinMs, isLossy })
    },
    async ledgers() {
      await witness.close()
      const engine = [...(await outboxLines(pool, await outboxes())), ...(await auditLines(pool))]
      const found: Ledger[] = [{ title: 'engine', lines: engine }]
      const books = { db: pool, world, witness, answers: client.answers }
      for (const { name, lines } of systemProofs) {
        found.push({ title: name, lines: await lines(books) })
      }
      return found
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** The outboxes of all systems, to look at. */
export async function readOutboxes(
  pool: Pool,
  env: Readonly<Record<string, string>>,
): Promise<Outbox[]> {
  const systems = await loadSystems(env)
  const configuration = readConfiguration(env, systems)
  const baseUrl = () => env['POSTHORN_BASE_URL'] ?? ''
  const { outboxes } = await openSystems(systems, { configuration, pool, log: silentLog, baseUrl })
  return [...outboxes]
}

import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { migrate, silentLog } from '@posthorn/engine'
import { allMigrations, loadSystems, openDatabase } from '@posthorn/server'
import type { Pool } from 'pg'
import { createClient } from '../kit/stand/client.ts'
import { findPorts } from '../kit/stand/ingress.ts'
import { SERVER_PROCESS } from '../kit/processes/child.ts'
import { startFleet, type Fleet } from '../kit/processes/fleet.ts'
import { watchFeed, type FeedWitness } from '../kit/events/feed-witness.ts'
import { failoverOutboxes, keyedEvents, logEvents, rowEvents } from './outbox.ts'
import { startProbe, type Probe } from './probe.ts'
import { prepareWriting, write, type Written } from './writer.ts'

/** What a scenario is set to. */
export interface Options {
  /** What is written, and in which order, follows from it. */
  readonly seed: number
  /** Messages a second, of both outboxes together. */
  readonly rate: number
  /** For how long there is only load, before, between and after the losses. */
  readonly calmMs: number
  /** Leave logs and arrivals for a look. */
  readonly keep: boolean
}

/** What a scenario is given. */
export interface Run {
  /** Its own: for logs, arrivals and the data of servers. */
  readonly folder: string
  readonly options: Options
  readonly signal: AbortSignal
}

/** The processes under test, what is written under them, and what their operator sees. */
export interface Load {
  /** Through all hosts of the address, as the processes do it. */
  readonly pool: Pool
  readonly probe: Probe
  readonly feed: FeedWitness
  readonly fleets: readonly Fleet[]
  /** Stops writing; what was written by outbox. */
  finish(): Promise<ReadonlyMap<string, Written>>
  /** Ends the processes in good order. */
  stop(): Promise<void>
}

export interface LoadOptions extends Pick<Options, 'seed' | 'rate'> {
  readonly folder: string
  readonly databaseUrl: string
  /** Of brokers, and which of them the outboxes go to. */
  readonly env: Readonly<Record<string, string>>
}

const SYSTEM = fileURLToPath(new URL('system.ts', import.meta.url))
const ORG = 'failover'

const SETTINGS = {
  POSTHORN_CONFIG: SYSTEM,
  POSTHORN_RATE_LIMIT: '0',
  POSTHORN_LOG_LEVEL: 'warn',
  POSTHORN_MIGRATE: 'check',
  POSTHORN_POOL_SIZE: '8',
} as const

const SIZES = { relay: 2, worker: 1, api: 1 } as const

/** Those with an order have to keep it: they get a little more than the one without. */
const SHARES = new Map([
  [keyedEvents.name, 0.4],
  [rowEvents.name, 0.2],
  [logEvents.name, 0.4],
])

export async function startLoad(options: LoadOptions): Promise<Load> {
  const { folder, databaseUrl, seed, rate } = options
  await using opened = new AsyncDisposableStack()
  const secret = randomBytes(32).toString('base64url')
  const [port = 0] = await findPorts(1)
  const env = {
    ...SETTINGS,
    ...options.env,
    DATABASE_URL: databaseUrl,
    POSTHORN_BASE_URL: `http://127.0.0.1:${port}`,
    POSTHORN_DATA_DIR: join(folder, 'data'),
    POSTHORN_JWT_SECRET: secret,
    FAILOVER_FOLDER: folder,
    PROCESS_NAME: 'parent',
  }
  const database = await openDatabase({ databaseUrl, dataFolder: folder, poolSize: 32 }, silentLog)
  opened.defer(() => database.close())
  const { pool } = database
  await migrate(pool, await allMigrations(await loadSystems(env)))
  await prepareWriting(pool, failoverOutboxes)

  const fleets = Object.entries(SIZES).map(([role, size]) => {
    const settings = () => ({
      env: { ...env, POSTHORN_ROLES: role, ...(role === 'api' && { PORT: String(port) }) },
    })
    return startFleet({ program: SERVER_PROCESS, name: role, size, folder, settings })
  })
  opened.defer(async () => void (await Promise.all(fleets.map((fleet) => fleet.stop()))))
  await Promise.all(fleets.map((fleet) => fleet.ready))

  const feed = watchFeed(pool)
  opened.defer(() => feed.stop())
  const over = new AbortController()
  const probe = startProbe(await createClient(env.POSTHORN_BASE_URL, { secret, org: ORG }))
  opened.defer(() => probe.stop())
  const writing = Promise.all(
    failoverOutboxes.map(async (outbox) => {
      const share = rate * (SHARES.get(outbox.name) ?? 0)
      const rounded = { outbox, seed, rate: share, over: over.signal }
      return [outbox.name, await write(pool, rounded)] as const
    }),
  )
  opened.defer(async () => {
    over.abort()
    await writing.catch(() => undefined)
  })
  const all = opened.move()
  return {
    pool,
    probe,
    feed,
    fleets,
    async finish() {
      over.abort()
      return new Map(await writing)
    },
    stop: () => all.disposeAsync(),
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { silentLog, type Outbox } from '@posthorn/engine'
import { loadSystems, openSystems, readConfiguration } from '@posthorn/server'
import { Pool } from 'pg'
import { findPorts, openIngress } from '../chaos/ingress.ts'
import { auditLines, outboxLines } from '../chaos/ledger/engine.ts'
import { evidenceLines } from '../chaos/ledger/evidence.ts'
import { messageLines } from '../chaos/ledger/messages.ts'
import { orderLines } from '../chaos/ledger/orders.ts'
import { paymentLines, webhookLines } from '../chaos/ledger/payments.ts'
import { settle, type Settled, type Settling } from '../chaos/ledger/settling.ts'
import { startWitness } from '../chaos/ledger/witness.ts'
import { createClient, type Client } from '../chaos/load/client.ts'
import { loads } from '../chaos/load/loads.ts'
import { openWorld, type World } from '../chaos/world.ts'
import type { Ledger, Line } from '../crash/ledger.ts'
import { createRandom } from '../crash/random.ts'
import { Processes } from './processes.ts'
import { selectInvitations, type Invitation } from './queries.ts'

/** Small waits, so that a run of minutes sees many of them. */
const SETTINGS = {
  POSTHORN_RATE_LIMIT: '0',
  POSTHORN_LOG_LEVEL: 'warn',
  POSTHORN_POOL_SIZE: '8',
  GATEWAY_TIMEOUT_MS: '5000',
  EVIDENCE_LEASE_MS: '10000',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
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
  const secret = randomBytes(32).toString('base64url')
  const env: Record<string, string> = {
    ...SETTINGS,
    ...world.env,
    ...outsideEnv(servers.env),
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
  // Versions before know no other role that may do all this.
  const client = await createClient(ingress.url, { secret, org: 'upgrade', role: 'operator' })
  const witness = startWitness(world)
  opened.defer(() => witness.close())
  const outboxes = () => outboxesOf(pool, env)
  const books = withKeysAsReferences(world)
  const parts = opened.move()
  return {
    ...{ pool, env, processes, client },
    async load() {
      const over = new AbortController()
      const random = createRandom(seed)
      const context = { client, random, world, pool, over: over.signal, rate: 1 }
      for (const load of loads) await load.prepare?.(context)
      const loading = Promise.all(loads.map((load) => load.run(context)))
      return async () => {
        over.abort()
        await loading
      }
    },
    async settle({ withinMs, signal, isLossy = false }) {
      const events = { byOutbox: new Map(), poison: [], indigestible: [] }
      const cutOff = () => ingress.close()
      const settling = {
        pool,
        outboxes: await outboxes(),
        events,
        client,
        cutOff,
        actEveryMs: 5_000,
      }
      return settle({ ...settling, signal, withinMs, isLossy })
    },
    async ledgers() {
      await witness.close()
      return [
        ledger('engine', [
          ...(await outboxLines(pool, await outboxes())),
          ...(await auditLines(pool)),
        ]),
        ledger('payments', [
          ...(await paymentLines(pool, books)),
          ...(await webhookLines(pool, witness)),
        ]),
        ledger('messages', await messageLines(pool, witness)),
        ledger('orders', await orderLines(pool, books)),
        ledger('families', await guestLines(pool, world)),
        ledger('evidence', await evidenceLines(pool, world)),
      ]
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

interface GatewayBooks {
  readonly charges: readonly { readonly reference: string; readonly idempotencyKey?: string }[]
}

/** The version before named charges of orders by the bare id, this one names them by their key. */
function withKeysAsReferences(world: World): World {
  const isOrder = (key?: string): key is string => key?.startsWith('order-') === true
  return {
    ...world,
    async read<Body>(path: string) {
      const body = await world.read<Body>(path)
      if (path !== '/gateway/ledger') return body
      const { charges, ...rest } = body as GatewayBooks
      const named = charges.map(({ reference, idempotencyKey, ...charge }) => ({
        ...charge,
        reference: isOrder(idempotencyKey) ? idempotencyKey : reference,
      }))
      return { ...rest, charges: named } as Body
    },
  }
}

/** Every guest has a mail, and the token in the last one opens the invitation. */
async function guestLines(pool: Pool, world: World): Promise<Line[]> {
  const invitations = await selectInvitations(pool)
  const { items } = await world.read<{ items: { to: string; text: string }[] }>('/mail/requests')
  const sent = items.map(({ to, text }) => {
    const token = /token=([\w.~%-]+)/.exec(text)?.[1] ?? ''
    return { to, hash: createHash('sha256').update(decodeURIComponent(token)).digest('hex') }
  })
  const isMailed = ({ email }: Invitation) => sent.some(({ to }) => to.includes(email))
  const isOpened = ({ email, hash }: Invitation) =>
    sent.some((mail) => mail.to.includes(email) && mail.hash === hash)
  return [
    { name: 'invitations', value: invitations.length, atLeast: 1 },
    {
      name: 'guests without a mail',
      value: invitations.filter((each) => !isMailed(each)).length,
      must: 0,
    },
    {
      name: 'guests whose mail opens nothing',
      value: invitations.filter((each) => isMailed(each) && !isOpened(each)).length,
      must: 0,
    },
  ]
}

function ledger(title: string, lines: Line[]): Ledger {
  return { title, lines, details: [] }
}

/** The outboxes of all systems, to look at. */
async function outboxesOf(pool: Pool, env: Readonly<Record<string, string>>): Promise<Outbox[]> {
  const systems = await loadSystems(env)
  const configuration = readConfiguration(env, systems)
  const baseUrl = () => env['POSTHORN_BASE_URL'] ?? ''
  const { outboxes } = await openSystems(systems, { configuration, pool, log: silentLog, baseUrl })
  return [...outboxes]
}

/** What the services call their addresses and keys, as the server reads them. */
const VARIABLES = {
  KAFKA_BROKERS: 'KAFKA_BROKERS',
  RABBITMQ_URL: 'RABBITMQ_URL',
  S3_ENDPOINT: 'S3_ENDPOINT',
  S3_BUCKET: 'S3_BUCKET',
  S3_REGION: 'AWS_REGION',
  S3_ACCESS_KEY_ID: 'AWS_ACCESS_KEY_ID',
  S3_SECRET_ACCESS_KEY: 'AWS_SECRET_ACCESS_KEY',
} as const

function outsideEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(VARIABLES).map(([ours, theirs]) => [ours, env[theirs]] as const)
  const found = named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const broker = env['KAFKA_BROKERS'] === undefined ? 'topics' : 'kafka'
  return { ...Object.fromEntries(found), SAGAS_BROKER: broker }
}

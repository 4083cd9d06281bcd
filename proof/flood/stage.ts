import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { signToken } from '@posthorn/http'
import { Client, Pool } from 'pg'
import { findPorts } from '../kit/stand/ingress.ts'
import { openWorld } from '../kit/stand/world.ts'
import { SERVER_FLAGS, type Usage } from '../kit/processes/child.ts'
import { startFleet } from '../kit/processes/fleet.ts'
import type { Servers } from '../kit/servers/servers.ts'
import type { AttackTarget } from './attacks/index.ts'
import { KNOWN_NAME, openNameServer, openReceiver, openSilent } from './outside.ts'
import { createNeighbour, type Neighbour } from './neighbour.ts'

const USERS = 20

/** A server on a database of its own, one who works on it, and where to attack it. */
export interface Stage {
  readonly neighbour: Neighbour
  readonly target: AttackTarget
  /** What the server's process has in hand. */
  measure(): Promise<Usage>
  /** Of the server's process. */
  pid(): number
  /** How often the server's process ended by itself. */
  exits(): number
  [Symbol.asyncDispose](): Promise<void>
}

/** All roles in one process, with the settings of production. */
export async function openStage(servers: Servers, name: string): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const databaseUrl = new URL(servers.databaseUrl)
  // By name, as in most installations: an attack that holds up names holds up this one too.
  databaseUrl.hostname = 'localhost'
  databaseUrl.pathname = `/${await createDatabase(servers.databaseUrl, name)}`
  const pool = new Pool({ connectionString: databaseUrl.href, max: 2 })
  opening.defer(() => pool.end())
  const [port = 0] = await findPorts(1)
  const url = `http://127.0.0.1:${port}`
  const world = await openWorld(pool, url)
  opening.defer(() => world.close())
  const nameServer = await openNameServer()
  opening.defer(() => nameServer.close())
  const secret = randomBytes(32).toString('base64url')
  const outside = world.env({ broker: 'topics', isImpatient: false })
  const server = startFleet({
    ...{ program: new URL('./server-process.ts', import.meta.url), name: `server-${name}` },
    ...{ size: 1, folder: servers.folder, flags: SERVER_FLAGS },
    settings: {
      nameServer: nameServer.address,
      env: {
        ...outside,
        GATEWAY_URL: outside['GATEWAY_URL']?.replace('127.0.0.1', 'localhost') ?? '',
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: databaseUrl.href,
        POSTHORN_BASE_URL: url,
        POSTHORN_DATA_DIR: join(servers.folder, `data-${name}`),
        POSTHORN_JWT_SECRET: secret,
        POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64url'),
        POSTHORN_LOG_LEVEL: 'warn',
        EVIDENCE_FOLDER: 'evidence',
        MAIL_FROM: 'Flood <flood@example.com>',
        WHATSAPP_VERIFY_TOKEN: 'a verify token of the flood',
        WHATSAPP_PHONE_NUMBER_IDS: '106540352242922',
        // Receivers of this run are on this machine.
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        WEBHOOK_HTTPS_ONLY: 'false',
      },
    },
  })
  opening.defer(() => server.stop())
  await server.ready

  const receiver = await openReceiver(KNOWN_NAME)
  opening.defer(() => receiver.close())
  const silent = await openSilent()
  opening.defer(() => silent.close())
  const tokenOf = (org: string, sub: string) =>
    signToken({ secret, org, sub, role: 'admin', expiresIn: '12h' })
  const tokensOf = (org: string) =>
    Promise.all(Array.from({ length: USERS }, (_, n) => tokenOf(org, `user-${n}`)))
  const target: AttackTarget = {
    ...{ url, silent: silent.url },
    tokens: await tokensOf('flood'),
    accomplices: await tokensOf('accomplice'),
  }
  const token = await tokenOf('neighbour', 'ada')
  const neighbour = await createNeighbour(url, { token, receiver })
  const everything = opening.move()
  return {
    neighbour,
    target,
    async measure() {
      const [usage] = [...(await server.measure()).values()]
      if (!usage) throw new Error('the server has ended')
      return usage
    },
    pid: () => server.pids()[0] ?? 0,
    exits: () => server.exits.length,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Makes a database on the server, and says what it is called. */
async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const database = `flood-${name}`
    await client.query(`create database ${client.escapeIdentifier(database)}`)
    return database
  } finally {
    await client.end()
  }
}

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signToken } from '@posthorn/http'
import { Pool } from 'pg'
import { findPorts } from '../chaos/ingress.ts'
import { openWorld } from '../chaos/world.ts'
import { startChild, type Usage } from '../crash/child.ts'
import { startFleet, type Fleet } from '../crash/fleet.ts'
import type { Ledger } from '../crash/ledger.ts'
import type { Servers } from '../crash/servers.ts'
import type { Attack, AttackTarget } from './attacks/index.ts'
import type { AttackSettings } from './attack-process.ts'
import { judge } from './judge.ts'
import { createNeighbour, type Neighbour } from './neighbour.ts'
import type { Options } from './options.ts'
import { openReceiver, openSilent } from './receiver.ts'

const USERS = 20
const WARM_UP_MS = 5_000
const BEFORE_MS = 10_000
/** For an attack to be at its height. */
const RISING_MS = 2_000
/** How long connections and files of an attack may take to go once it is over. */
const SETTLE_MS = 45_000

/** One ledger for each attack. */
export async function runFlood(
  servers: Servers,
  options: Options,
  signal: AbortSignal,
): Promise<readonly Ledger[]> {
  await using opened = new AsyncDisposableStack()
  const pool = new Pool({ connectionString: servers.databaseUrl, max: 2 })
  opened.defer(() => pool.end())
  const [port = 0] = await findPorts(1)
  const url = `http://127.0.0.1:${port}`
  const world = await openWorld(pool, url)
  opened.defer(() => world.close())
  const secret = randomBytes(32).toString('base64url')
  const server = startFleet({
    ...{ program: 'server-process.ts', name: 'server', size: 1, folder: servers.folder },
    settings: {
      env: {
        ...world.env,
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: servers.databaseUrl,
        POSTHORN_BASE_URL: url,
        POSTHORN_DATA_DIR: join(servers.folder, 'data'),
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
  opened.defer(() => server.stop())
  await server.ready

  const receiver = await openReceiver()
  opened.defer(() => receiver.close())
  const silent = await openSilent()
  opened.defer(() => silent.close())
  const tokenOf = (org: string, sub: string) =>
    signToken({ secret, org, sub, role: 'admin', expiresIn: '12h' })
  const users = Array.from({ length: USERS }, (_, n) => tokenOf('flood', `user-${n}`))
  const target: AttackTarget = { url, tokens: await Promise.all(users), silent: silent.url }
  const token = await tokenOf('neighbour', 'ada')
  const neighbour = await createNeighbour(url, { token, receiver })
  await neighbour.watch(WARM_UP_MS)

  const ledgers: Ledger[] = []
  for (const attack of options.attacks) {
    signal.throwIfAborted()
    const stage = { server, neighbour, target, folder: servers.folder, ms: options.attackMs }
    ledgers.push(await runAttack(attack, stage))
  }
  return ledgers
}

interface Stage {
  readonly server: Fleet
  readonly neighbour: Neighbour
  readonly target: AttackTarget
  readonly folder: string
  readonly ms: number
}

async function runAttack(
  attack: Attack,
  { server, neighbour, target, folder, ms }: Stage,
): Promise<Ledger> {
  const before = await neighbour.watch(BEFORE_MS)
  const usageBefore = await usageOf(server)
  const report = join(folder, `${attack.name}.json`)
  const settings: AttackSettings = { ...target, attack: attack.name, report }
  const attacker = startChild('../flood/attack-process.ts', {
    ...{ name: attack.name, folder, settings },
  })
  await attacker.ready
  await sleep(RISING_MS)
  const during = await neighbour.watch(ms)
  const usageDuring = await usageOf(server)
  await attacker.stop()
  const answers = JSON.parse(await readFile(report, 'utf8')) as [string, number][]
  const usageAfter = await settle(server, usageBefore)
  return judge(attack, {
    ...{ before, during, answers, usageBefore, usageDuring, usageAfter, ms },
    exits: server.exits.length,
  })
}

async function usageOf(server: Fleet): Promise<Usage> {
  const [usage] = [...(await server.measure()).values()]
  if (!usage) throw new Error('the server has ended')
  return usage
}

/** What it has in hand once its files are about as many as before, or time is up. */
async function settle(server: Fleet, before: Usage): Promise<Usage> {
  const until = performance.now() + SETTLE_MS
  for (;;) {
    const now = await usageOf(server)
    if (now.openFiles <= before.openFiles + 10 || performance.now() > until) return now
    await sleep(2_000)
  }
}

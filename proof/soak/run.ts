import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { createDatabase } from '../kit/database.ts'
import { findPorts } from '../kit/stand/ingress.ts'
import { createClient } from '../kit/stand/client.ts'
import { systemProofs } from '../kit/stand/system-proof.ts'
import { openWorld, serviceEnv } from '../kit/stand/world.ts'
import { SERVER_PROCESS } from '../kit/processes/child.ts'
import { startFleet, type Fleet } from '../kit/processes/fleet.ts'
import type { Ledger } from '../kit/ledger.ts'
import { readOptions } from '../kit/options.ts'
import { createRandom } from '../kit/random.ts'
import type { Servers } from '../kit/servers/servers.ts'
import { drawSamples } from './plot.ts'
import { countTransitions } from '../kit/stand/queries.ts'
import { growthLines, type Sample } from './samples.ts'

const ROLES = ['api', 'relay', 'worker'] as const
const MEGABYTE = 1024 * 1024

export type Options = ReturnType<typeof parseOptions>

export function parseOptions() {
  const { minutes, every, ...same } = readOptions({
    /** For how long there is load, and seconds from one sample to the next. */
    ...{ minutes: 60, every: 10, seed: 1 },
    /** Times the load of `npm run chaos`. */
    rate: 1,
    plot: 'docs/images/memory-at-load.svg',
  })
  return { ...same, durationMs: minutes * 60_000, everyMs: every * 1_000 }
}

/** Runs the load for as long as was asked, and says what grew. */
export async function runSoak(
  servers: Servers,
  options: Options,
  signal: AbortSignal,
): Promise<Ledger> {
  await using opened = new AsyncDisposableStack()
  const databaseUrl = await createDatabase(servers.databaseUrl, 'soak')
  const pool = new Pool({ connectionString: databaseUrl, max: 4 })
  // A connection that is lost while it is idle is replaced.
  pool.on('error', () => undefined)
  opened.defer(() => pool.end())

  const [port = 0] = await findPorts(1)
  const url = `http://127.0.0.1:${port}`
  const world = await openWorld(pool, url)
  opened.defer(() => world.close())
  const secret = randomBytes(32).toString('base64url')
  const common = {
    ...world.env({ broker: 'kafka', isImpatient: false }),
    ...serviceEnv(servers.env),
    DATABASE_URL: databaseUrl,
    POSTHORN_BASE_URL: url,
    POSTHORN_DATA_DIR: join(servers.folder, 'data'),
    POSTHORN_JWT_SECRET: secret,
    POSTHORN_RATE_LIMIT: '0',
    POSTHORN_LOG_LEVEL: 'warn',
  }
  const fleets: Fleet[] = []
  opened.defer(async () => void (await Promise.all(fleets.map((fleet) => fleet.stop()))))
  // One after another: the first of them migrates the database.
  for (const role of ROLES) {
    const fleet = startFleet({
      ...{ program: SERVER_PROCESS, name: role, size: 1, folder: servers.folder },
      settings: {
        env: { ...common, POSTHORN_ROLES: role, ...(role === 'api' && { PORT: String(port) }) },
      },
    })
    fleets.push(fleet)
    await fleet.ready
  }

  const client = await createClient(url, { secret, org: 'soak' })
  const over = new AbortController()
  signal.addEventListener('abort', () => over.abort())
  const context = {
    ...{ client, world, rate: options.rate, over: over.signal },
    random: createRandom(options.seed),
  }
  for (const load of systemProofs) await load.prepare?.(context)
  const began = performance.now()
  const ending = setTimeout(() => over.abort(), options.durationMs)
  const samples: Sample[] = []
  const sampling = async () => {
    while (!over.signal.aborted) {
      const minute = (performance.now() - began) / 60_000
      // A busy machine that does not answer in time is no reason to end an hour's run.
      const bytes = await databaseBytes(pool).catch(() => samples.at(-1)?.databaseBytes ?? 0)
      samples.push({ minute, usages: await measureAll(fleets), databaseBytes: bytes })
      await writeFile(options.plot, drawSamples(samples, captionOf(options, servers)))
      await sleep(options.everyMs, undefined, { signal: over.signal }).catch(() => undefined)
    }
  }
  await Promise.all([sampling(), ...systemProofs.map((load) => load.run(context))]).finally(() =>
    clearTimeout(ending),
  )
  signal.throwIfAborted()

  const minutes = (performance.now() - began) / 60_000
  const first = samples[0]?.databaseBytes ?? 0
  const transitions = await countTransitions(pool)
  return {
    title: `soak: ${minutes.toFixed(0)} minutes, ${samples.length} samples, seed ${options.seed}, ${servers.versions}`,
    lines: [
      { name: 'requests', value: client.counts.asked },
      { name: 'requests without an answer', value: client.counts.unanswered, must: 0 },
      { name: 'transitions a second', value: Math.round(transitions / minutes / 60) },
      { name: 'processes that ended', value: fleets.flatMap(({ exits }) => exits).length, must: 0 },
      {
        name: 'database, MB more',
        value: Math.round(((samples.at(-1)?.databaseBytes ?? 0) - first) / MEGABYTE),
      },
      ...(await largestTables(pool)).map(({ name, bytes }) => ({
        name: `table ${name}, MB`,
        value: Math.round(bytes / MEGABYTE),
      })),
      ...growthLines(samples),
    ],
  }
}

async function measureAll(fleets: readonly Fleet[]): Promise<Sample['usages']> {
  const measured = await Promise.all(fleets.map((fleet) => fleet.measure()))
  return new Map(
    measured.flatMap((each, i) =>
      [...each.values()].map((usage) => [fleets[i]?.name ?? '', usage] as const),
    ),
  )
}

function captionOf({ everyMs, seed }: Options, { versions }: Servers): string {
  return `A sample each ${everyMs / 1_000} s, seed ${seed}; ${versions}`
}

async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return Number(rows[0]?.bytes)
}

/** The largest tables with their indexes, for a look at what an hour leaves behind. */
async function largestTables(pool: Pool): Promise<readonly { name: string; bytes: number }[]> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(`
    select relid::regclass::text as name, pg_total_relation_size(relid) as bytes
      from pg_stat_user_tables
     order by pg_total_relation_size(relid) desc
     limit 8`)
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
}

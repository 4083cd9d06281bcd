import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { AS_STARTED, startChild, type Child } from '../kit/child.ts'
import { postgresCpuUs } from '../kit/cpu.ts'
import { inDatabase, packageVersion, progress } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { walBytesSince, walPosition, type Database, type Server } from '../kit/postgres.ts'
import { round, type Line, type Report } from '../kit/report.ts'
import type { IdleOrder } from './idle-process.ts'

/** Counts every statement of every session. */
export const serverSettings = { shared_preload_libraries: 'pg_stat_statements' }

/** Until what starts is at rest: the first maintenance makes partitions, at which a relay looks half a minute later. */
const SETTLE_MS = 50_000

type Idler = Omit<IdleOrder, 'databaseUrl'> & { readonly processes: number }

const IDLERS: readonly Idler[] = [
  ...[1, 20, 100].map((queues) => ({ who: 'posthorn', queues, processes: 1 }) as const),
  ...[1, 20, 100].map((queues) => ({ who: 'posthorn', queues, processes: 4 }) as const),
  { who: 'posthorn asleep', queues: 20, processes: 1 },
  ...(['pg-boss', 'graphile-worker'] as const).flatMap((who) =>
    [1, 20, 100].map((queues) => ({ who, queues, processes: 1 })),
  ),
]

/** What Posthorn may cost a second: of one process, of one that sleeps, and of `npm start`. */
const GOALS = { process: 'at most 0.5 and 0.2', asleep: 'none', server: 'at most 3 and 1' }

const SERVER = 'npm start, all systems'

/** What waiting for messages costs where none come, per second. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const lines: Line[] = []
  for (const idler of IDLERS) {
    const name = nameOf(idler)
    if (!name.includes(options.only)) continue
    const line = await inCounted(server, (database) => measureIdler(database, idler, options))
    lines.push({ name, ...line, goal: goalOf(idler), version: versionOf(idler) })
    progress(JSON.stringify(lines.at(-1)))
  }
  if (SERVER.includes(options.only)) {
    const line = await inCounted(server, (database) => measureServer(database, options))
    lines.push({ name: SERVER, ...line, goal: GOALS.server, version: 'this tree' })
  }
  report.table(
    'idle: per second, of all processes together; the goal is for commits and updates of one',
    lines,
  )
}

/** In a database that has the extension from the start: a relay looks again at a schema that changes. */
function inCounted(server: Server, work: (database: Database) => Promise<Line>): Promise<Line> {
  return inDatabase(server, async (database) => {
    await database.pool.query('create extension pg_stat_statements')
    return work(database)
  })
}

function nameOf({ who, queues, processes }: Idler): string {
  const many = processes === 1 ? '1 process' : `${processes} processes`
  return `${who}, ${queues} ${who.startsWith('posthorn') ? 'outboxes' : 'queues'}, ${many}`
}

function goalOf({ who }: Idler): string {
  return {
    posthorn: GOALS.process,
    'posthorn asleep': GOALS.asleep,
    'pg-boss': '',
    'graphile-worker': '',
  }[who]
}

function versionOf({ who }: Idler): string {
  return who.startsWith('posthorn') ? 'this tree' : packageVersion(who)
}

async function measureIdler(
  database: Database,
  { processes, ...idler }: Idler,
  options: Options,
): Promise<Line> {
  const order: IdleOrder = { ...idler, databaseUrl: database.url }
  const start = () =>
    startChild(new URL('idle-process.ts', import.meta.url), [JSON.stringify(order)], {
      flags: AS_STARTED,
    })
  // One after the other: the first makes the tables.
  await using children = new AsyncDisposableStack()
  const running: Child<unknown>[] = []
  for (let n = 0; n < processes; n += 1) running.push(children.use(await start()))
  return await measure(database, options, async () => {
    const used = await Promise.all(running.map((child) => child.ask<NodeJS.CpuUsage>('cpu')))
    return used.reduce((sum, { user, system }) => sum + user + system, 0)
  })
}

async function measureServer(database: Database, options: Options): Promise<Line> {
  const server = fork(new URL('../../apps/server/src/main.ts', import.meta.url), [], {
    execArgv: AS_STARTED,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, DATABASE_URL: database.url, PORT: '0' },
  })
  try {
    await untilWelcome(server)
    return await measure(database, options, async () => undefined)
  } finally {
    const exited = once(server, 'exit')
    server.kill()
    await exited
  }
}

async function untilWelcome(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit').then(() => {
    throw new Error('the server ended by itself')
  })
  const said = new Promise<void>((resolve) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('http://')) resolve()
    })
  })
  await Promise.race([said, exited])
}

/** Counts over `--seconds`, at least a minute: what happens once a minute is to be in it. */
async function measure(
  database: Database,
  { seconds }: Options,
  nodeCpuUs: () => Promise<number | undefined>,
): Promise<Line> {
  await setTimeout(SETTLE_MS)
  const ms = Math.max(seconds * 1_000, 60_000)
  const before = await readCounts(database, nodeCpuUs)
  const position = await walPosition(database)
  const began = performance.now()
  await setTimeout(ms)
  const wal = await walBytesSince(database, position)
  const after = await readCounts(database, nodeCpuUs)
  const took = (performance.now() - began) / 1_000
  const rate = (pick: (counts: Counts) => number | undefined, less = 0) =>
    round(Math.max(0, ((pick(after) ?? Number.NaN) - (pick(before) ?? Number.NaN) - less) / took))
  return {
    // Without the three statements of the harness in between.
    statements: rate(({ statements }) => statements, OWN),
    commits: rate(({ commits }) => commits, OWN),
    updates: rate(({ updates }) => updates),
    walBytes: round(wal / took),
    postgresMsCpu: rate(({ postgresUs }) => postgresUs) / 1_000,
    nodeMsCpu: rate(({ nodeUs }) => nodeUs) / 1_000,
  }
}

/** Statements of the harness between two readings. */
const OWN = 3

interface Counts {
  readonly statements: number
  readonly commits: number
  readonly updates: number
  readonly postgresUs: number | undefined
  readonly nodeUs: number | undefined
}

async function readCounts(
  { pool }: Database,
  nodeCpuUs: () => Promise<number | undefined>,
): Promise<Counts> {
  const { rows } = await pool.query<{ statements: string; commits: string; updates: string }>(
    `select (select sum(calls) from pg_stat_statements where dbid = d.datid) as statements,
            d.xact_commit as commits, d.tup_inserted + d.tup_updated + d.tup_deleted as updates
       from pg_stat_database as d
      where d.datname = current_database()`,
  )
  const [row] = rows
  return {
    statements: Number(row?.statements),
    commits: Number(row?.commits),
    updates: Number(row?.updates),
    postgresUs: await postgresCpuUs(pool),
    nodeUs: await nodeCpuUs(),
  }
}

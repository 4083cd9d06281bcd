import { rm } from 'node:fs/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import type { Settled } from '../kit/stand/settling.ts'
import { forgive, type Ledger, type Line } from '../kit/ledger.ts'
import { pause } from '../kit/waiting.ts'
import { watchFeed } from '../kit/events/feed-witness.ts'
import { openStand, type Stand, type Surroundings } from '../kit/stand/stand.ts'
import { archiving, makeArchive, markPoint, recover, takeBaseBackup } from './backup.ts'
import { eventsEnv, writeEvents } from './events.ts'
import { selectInFlight, type InFlight } from './queries.ts'

export interface RestoreOptions {
  readonly folder: string
  readonly seed: number
  /** Of the load; the backup is taken in its middle. */
  readonly loadMs: number
  /** How long processes go on after the moment that is come back to. */
  readonly afterMs: number
  readonly settleMs: number
  readonly signal: AbortSignal
}

const POINT = 'posthorn'

/**
 * All systems under load on a server whose log is archived; a base backup in the middle; then a moment at
 * which much is under way, and work that goes on for a while. The server is killed, its copy recovered to
 * that moment at the same address. One process has stayed, another is new.
 */
export async function restore(options: RestoreOptions): Promise<Ledger[]> {
  const { folder, signal } = options
  await using opened = new AsyncDisposableStack()
  const archive = await makeArchive()
  opened.defer(() => rm(archive, { recursive: true, force: true }))
  const postgres = await temporaryPostgres({ settings: archiving(archive) })
  opened.defer(() => postgres.close())
  const { url, version } = postgres
  const servers = { databaseUrl: url, folder, env: {}, versions: `PostgreSQL ${version}` }
  const loaded = await startLoad(servers, options, opened)
  const { processes, pool } = loaded.stand
  const copy = await takeBaseBackup(url, postgres.folder)
  opened.defer(() => rm(copy, { recursive: true, force: true }))
  await pause(options.loadMs / 2, signal)
  await loaded.endLoad()
  const atPoint = await selectInFlight(pool)
  await markPoint(url, POINT, archive)
  console.log('behind the moment …')
  await pause(options.afterMs, signal)
  const atEnd = await selectInFlight(pool)
  await processes.kill('new')
  await loaded.events.finish()
  await postgres.kill()

  console.log('back at the moment …')
  const recovered = await recover(copy, POINT, archive)
  opened.defer(() => recovered.close())
  const found = await selectInFlight(pool)
  const course = { title: `restored to a moment, PostgreSQL ${version}`, atPoint, atEnd, found }
  const ledgers = await conclude(loaded, course, options)
  return ledgers.map((each) => forgive(each, ({ notAfter }) => notAfter === 'moment'))
}

type Loaded = Awaited<ReturnType<typeof startLoad>>

/** All systems and the outboxes that are counted one by one, half of their load behind them. */
export async function startLoad(
  servers: Surroundings,
  options: RestoreOptions,
  opened: AsyncDisposableStack,
) {
  const { folder, seed, loadMs, signal } = options
  const stand = opened.use(await openStand({ servers, seed, env: eventsEnv(folder) }))
  console.log('under load …')
  await stand.processes.startFirst()
  await stand.processes.start('new', 1)
  const feed = watchFeed(stand.pool)
  opened.defer(() => feed.stop())
  const events = await writeEvents(stand.pool, { seed, folder })
  opened.defer(() => events.finish())
  const endLoad = await stand.load()
  await pause(loadMs / 2, signal)
  return { stand, events, feed, endLoad }
}

/** What was seen before, behind and back at the moment. */
interface Course {
  readonly title: string
  readonly atPoint: InFlight
  readonly atEnd: InFlight
  readonly found: InFlight
  readonly lines?: readonly Line[]
}

/** Starts a new process on what was brought back, waits until all has ended, and counts. */
export async function conclude(
  { stand, events, feed }: Loaded,
  { title, lines = [], ...course }: Course,
  { seed, settleMs, signal }: RestoreOptions,
): Promise<Ledger[]> {
  const { processes } = stand
  await processes.start('new', 1)
  const settled = await stand.settle({ withinMs: settleMs, signal, isLossy: true })
  await events.settled(signal)
  await processes.stop()
  return [
    {
      title: `${title}, seed ${seed}`,
      lines: [...lines, ...courseLines(course, stand, settled), ...(await feed.conclude())],
      details: [settled.rest, processes.ended],
    },
    await events.ledger(),
    ...(await stand.ledgers()),
  ]
}

function courseLines(
  { atPoint, atEnd, found }: Omit<Course, 'title'>,
  { client, processes }: Stand,
  settled: Settled,
): Line[] {
  const behind = atEnd.transitions - atPoint.transitions
  const left = Object.keys(settled.rest).join(', ') || 'none'
  return [
    ...Object.entries(found.ofSystems).map(([name, value]) => ({
      name: `in flight then: ${name}`,
      value,
    })),
    { name: 'in flight then: leases of buckets', value: found.leases, atLeast: 1 },
    { name: 'in flight then: keys held', value: found.heldKeys },
    { name: 'changes of state that were undone', value: behind, atLeast: 1 },
    {
      name: 'changes of state that were kept',
      value: found.transitions,
      atLeast: atPoint.transitions,
    },
    { name: 'requests', value: client.counts.asked, atLeast: 1 },
    { name: 'requests without an answer', value: client.counts.unanswered, must: 0 },
    { name: 'sent again by the operator', value: settled.replayed },
    { name: 'not ended', value: left, must: 'none' },
    { name: 'processes that ended by themselves', value: processes.ended.length, must: 0 },
  ]
}

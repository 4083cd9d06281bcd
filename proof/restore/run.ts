import { rm } from 'node:fs/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import type { Settled } from '../kit/stand/settling.ts'
import type { Client } from '../kit/stand/client.ts'
import { forgive, type Ledger, type Line } from '../kit/ledger.ts'
import { pause } from '../kit/waiting.ts'
import { watchFeed } from '../kit/events/feed-witness.ts'
import type { Processes } from '../kit/stand/processes.ts'
import { openStand } from '../kit/stand/stand.ts'
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
  const { folder, seed, signal } = options
  await using opened = new AsyncDisposableStack()
  const archive = await makeArchive()
  opened.defer(() => rm(archive, { recursive: true, force: true }))
  const postgres = await temporaryPostgres({ settings: archiving(archive) })
  opened.defer(() => postgres.close())
  const { url, version } = postgres
  const servers = { databaseUrl: url, folder, env: {}, versions: `PostgreSQL ${version}` }
  const stand = opened.use(await openStand({ servers, seed, env: eventsEnv(folder) }))
  const { processes, pool, client } = stand

  console.log('under load …')
  await processes.startFirst()
  await processes.start('new', 1)
  const feed = watchFeed(pool)
  opened.defer(() => feed.stop())
  const events = await writeEvents(pool, { seed, folder })
  opened.defer(() => events.finish())
  const endLoad = await stand.load()
  await pause(options.loadMs / 2, signal)
  const copy = await takeBaseBackup(url, postgres.folder)
  opened.defer(() => rm(copy, { recursive: true, force: true }))
  await pause(options.loadMs / 2, signal)
  await endLoad()
  const atPoint = await selectInFlight(pool)
  await markPoint(url, POINT, archive)
  console.log('behind the moment …')
  await pause(options.afterMs, signal)
  const atEnd = await selectInFlight(pool)
  await processes.kill('new')
  await events.finish()
  await postgres.kill()

  console.log('back at the moment …')
  const recovered = await recover(copy, POINT, archive)
  opened.defer(() => recovered.close())
  const found = await selectInFlight(pool)
  await processes.start('new', 1)
  const settled = await stand.settle({ withinMs: options.settleMs, signal, isLossy: true })
  await events.settled(signal)
  await processes.stop()
  const lines: Line[] = [
    ...courseLines({ atPoint, atEnd, found, client, settled, processes }),
    ...(await feed.conclude()),
  ]
  const details = [settled.rest, processes.ended]
  const title = `restored to a moment, seed ${seed}, PostgreSQL ${version}`
  const ledgers = [await events.ledger(), ...(await stand.ledgers())]
  return [
    { title, lines, details },
    ...ledgers.map((each) => forgive(each, ({ notAfter }) => notAfter === 'moment')),
  ]
}

/** What was seen before, behind and back at the moment, and how it ended. */
interface Course {
  readonly atPoint: InFlight
  readonly atEnd: InFlight
  readonly found: InFlight
  readonly client: Client
  readonly settled: Settled
  readonly processes: Processes
}

export function courseLines(course: Course): Line[] {
  const { atPoint, atEnd, found, client, settled, processes } = course
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

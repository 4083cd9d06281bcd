import { rm } from 'node:fs/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import { SENT_ONLY } from '../chaos/ledger/messages.ts'
import type { Settled } from '../chaos/ledger/settling.ts'
import type { Client } from '../chaos/load/client.ts'
import { forgive, type Ledger, type Line } from '../crash/ledger.ts'
import { pause } from '../crash/waiting.ts'
import { watchFeed } from '../failover/feed-witness.ts'
import type { Processes } from '../upgrade/processes.ts'
import { openStand } from '../upgrade/stand.ts'
import { archiving, makeArchive, markPoint, recover, takeBaseBackup } from './backup.ts'
import { eventsEnv, writeEvents } from './events.ts'
import { selectUnderWay, type UnderWay } from './queries.ts'

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

/** Attempts that were made after the moment are on no record any more. */
export const FORGOTTEN: ReadonlySet<string> = new Set([
  'accepted more often than tried',
  'delivered, and never accepted',
  SENT_ONLY,
])

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
  const atPoint = await selectUnderWay(pool)
  await markPoint(url, POINT, archive)
  console.log('behind the moment …')
  await pause(options.afterMs, signal)
  const atEnd = await selectUnderWay(pool)
  await processes.kill('new')
  await events.finish()
  await postgres.kill()

  console.log('back at the moment …')
  const recovered = await recover(copy, POINT, archive)
  opened.defer(() => recovered.close())
  const found = await selectUnderWay(pool)
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
  return [{ title, lines, details }, ...ledgers.map((each) => forgive(each, FORGOTTEN))]
}

/** What was seen before, behind and back at the moment, and how it ended. */
interface Course {
  readonly atPoint: UnderWay
  readonly atEnd: UnderWay
  readonly found: UnderWay
  readonly client: Client
  readonly settled: Settled
  readonly processes: Processes
}

export function courseLines(course: Course): Line[] {
  const { atPoint, atEnd, found, client, settled, processes } = course
  const behind = atEnd.transitions - atPoint.transitions
  const left = Object.keys(settled.rest).join(', ') || 'none'
  return [
    { name: 'under way then: webhooks', value: found.webhooks },
    { name: 'under way then: messages', value: found.messages },
    { name: 'under way then: sagas', value: found.sagas },
    { name: 'under way then: rows of files', value: found.rows },
    { name: 'under way then: leases of buckets', value: found.leases, atLeast: 1 },
    { name: 'under way then: keys held', value: found.heldKeys },
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

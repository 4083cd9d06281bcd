import { join } from 'node:path'
import { freePorts } from '../../scripts/services/index.mjs'
import { onClient } from '../kit/database.ts'
import { forgive, type Ledger, type Line } from '../kit/ledger.ts'
import { pause } from '../kit/waiting.ts'
import { watchFeed } from '../kit/events/feed-witness.ts'
import { openStand } from '../kit/stand/stand.ts'
import type { Counts } from '../kit/stand/system-proof.ts'
import { findDebianPostgres, type DebianPostgres } from './debian-postgres.ts'
import { eventsEnv, writeEvents } from './events.ts'
import {
  exportSnapshot,
  nextTransaction,
  repeatableRead,
  selectInFlight,
  useUpTransactions,
  type InFlight,
} from './queries.ts'
import { courseLines, type RestoreOptions } from './run.ts'

/** Numbers that the new cluster has not used up when it goes on: those of before were higher. */
const TRANSACTIONS = 30_000

/**
 * All systems under load; a dump in the middle of it, and work that goes on for a while. The server is
 * killed, and its dump restored into a new cluster, which takes its address when all is there. One
 * process has stayed, another is new.
 */
export async function restoreDump(options: RestoreOptions): Promise<Ledger[]> {
  const { folder, seed, signal } = options
  await using opened = new AsyncDisposableStack()
  const postgres = await findDebianPostgres(folder, signal)
  const { version } = postgres
  const { port, other } = await freePorts(['port', 'other'])
  const first = await postgres.create('first')
  opened.defer(() => first.kill())
  const url = await first.start(port)
  await onClient(url, (client) => client.query(useUpTransactions(TRANSACTIONS)))
  const servers = { databaseUrl: url, folder, env: {}, versions: version }
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
  const file = join(folder, 'posthorn.dump')
  const began = performance.now()
  const atDump = await dump(postgres, url, file)
  const dumpSeconds = (performance.now() - began) / 1_000
  await pause(options.loadMs / 2, signal)
  await endLoad()
  console.log('behind the dump …')
  await pause(options.afterMs, signal)
  const atEnd = await selectInFlight(pool)
  const usedBefore = await nextTransaction(pool)
  await processes.kill('new')
  await events.finish()
  await first.kill()

  console.log('into a new cluster …')
  const second = await postgres.create('second')
  opened.defer(() => second.kill())
  const aside = await second.start(other)
  await postgres.restore(aside, file)
  const [found, usedAfter] = await onClient(aside, async (restored) => [
    await selectInFlight(restored),
    await nextTransaction(restored),
  ])
  await second.stop()
  await second.start(port)
  await processes.start('new', 1)
  const settled = await stand.settle({ withinMs: options.settleMs, signal, isLossy: true })
  await events.settled(signal)
  await processes.stop()
  const title = `dumped and restored into a new cluster, seed ${seed}, ${version}`
  const lines: Line[] = [
    { name: 'seconds that the dump took', value: Math.round(dumpSeconds * 10) / 10 },
    { name: 'restored otherwise than dumped', value: differences(atDump, found), must: 'none' },
    { name: 'next transaction, before', value: usedBefore },
    { name: 'next transaction, in the new cluster', value: usedAfter, atMost: usedBefore - 1 },
    ...courseLines({ atPoint: atDump, atEnd, found, client, settled, processes }),
    ...(await feed.conclude()),
  ]
  const details = [settled.rest, processes.ended]
  const ledgers = [await events.ledger(), ...(await stand.ledgers())]
  return [
    { title, lines, details },
    ...ledgers.map((each) => forgive(each, ({ notAfter }) => notAfter !== undefined)),
  ]
}

/** Dumps what a snapshot shows, and says what was under way in it. */
async function dump(postgres: DebianPostgres, url: string, file: string): Promise<InFlight> {
  return onClient(url, async (client) => {
    await client.query(repeatableRead)
    const { rows } = await client.query<{ snapshot: string }>(exportSnapshot)
    const inFlight = await selectInFlight(client)
    await postgres.dump(url, { file, snapshot: rows[0]?.snapshot ?? '' })
    return inFlight
  })
}

function differences(dumped: InFlight, restored: InFlight): string {
  const flat = ({ ofSystems, ...own }: InFlight): Counts => ({ ...ofSystems, ...own })
  const [before, after] = [flat(dumped), flat(restored)]
  const names = Object.keys(before).filter((name) => before[name] !== after[name])
  return names.join(', ') || 'none'
}

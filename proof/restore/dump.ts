import { join } from 'node:path'
import { freePorts } from '../../scripts/services/index.mjs'
import { onClient } from '../kit/database.ts'
import { forgive, type Ledger, type Line } from '../kit/ledger.ts'
import { pause } from '../kit/waiting.ts'
import type { Counts } from '../kit/stand/system-proof.ts'
import { findDebianPostgres, type DebianPostgres } from './debian-postgres.ts'
import {
  exportSnapshot,
  nextTransaction,
  repeatableRead,
  selectInFlight,
  useUpTransactions,
  type InFlight,
} from './queries.ts'
import { conclude, startLoad, type RestoreOptions } from './run.ts'

/** Numbers that the new cluster has not used up when it goes on: those of before were higher. */
const TRANSACTIONS = 30_000

/**
 * All systems under load; a dump in the middle of it, and work that goes on for a while. The server is
 * killed, and its dump restored into a new cluster, which takes its address when all is there. One
 * process has stayed, another is new.
 */
export async function restoreDump(options: RestoreOptions): Promise<Ledger[]> {
  const { folder, signal } = options
  await using opened = new AsyncDisposableStack()
  const postgres = await findDebianPostgres(folder, signal)
  const { version } = postgres
  const { port, other } = await freePorts(['port', 'other'])
  const first = await postgres.create('first')
  opened.defer(() => first.kill())
  const url = await first.start(port)
  await onClient(url, (client) => client.query(useUpTransactions(TRANSACTIONS)))
  const servers = { databaseUrl: url, folder, env: {}, versions: version }
  const loaded = await startLoad(servers, options, opened)
  const { processes, pool } = loaded.stand
  const file = join(folder, 'posthorn.dump')
  const began = performance.now()
  const atDump = await dump(postgres, url, file)
  const dumpSeconds = (performance.now() - began) / 1_000
  await pause(options.loadMs / 2, signal)
  await loaded.endLoad()
  console.log('behind the dump …')
  await pause(options.afterMs, signal)
  const atEnd = await selectInFlight(pool)
  const usedBefore = await nextTransaction(pool)
  await processes.kill('new')
  await loaded.events.finish()
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
  const title = `dumped and restored into a new cluster, ${version}`
  const lines: Line[] = [
    { name: 'seconds that the dump took', value: Math.round(dumpSeconds * 10) / 10 },
    { name: 'restored otherwise than dumped', value: differences(atDump, found), must: 'none' },
    { name: 'next transaction, before', value: usedBefore },
    { name: 'next transaction, in the new cluster', value: usedAfter, atMost: usedBefore - 1 },
  ]
  const ledgers = await conclude(loaded, { title, lines, atPoint: atDump, atEnd, found }, options)
  return ledgers.map((each) => forgive(each, ({ notAfter }) => notAfter !== undefined))
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

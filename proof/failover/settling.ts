import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { readArrivals } from '../kit/events/arrivals.ts'
import type { Ledger, Line } from '../kit/ledger.ts'
import { waitFor } from '../kit/waiting.ts'
import {
  alertLines,
  messageLines,
  operatorLines,
  pauseLines,
  rateLines,
  type Event,
} from './ledger.ts'
import type { Load } from './load.ts'
import { failoverOutboxes, transports } from './outbox.ts'
import { countOpen, selectLater } from './queries.ts'

const END_MS = 180_000
/** Without any change the rest will not come: the ledger says what is missing. */
const STUCK_MS = 45_000

export interface ArrivalOptions {
  readonly folder: string
  readonly since: number
  readonly withinMs: number
  readonly signal: AbortSignal
}

/** Waits for a message of each outbox that was committed later than `since` and has arrived. */
export async function awaitArrivals(
  pool: Pool,
  { folder, since, withinMs, signal }: ArrivalOptions,
): Promise<void> {
  for (const { name } of failoverOutboxes) {
    const haveArrived = async () => {
      const late = await selectLater(pool, name, since)
      return late.size > 0 && (await readArrivals(folder)).some(({ id }) => late.has(id))
    }
    await waitFor(`${name} arrives`, haveArrived, { withinMs, signal })
  }
}

/** Waits until everything has been delivered and has taken effect, or nothing changes any more. */
async function awaitEnd(pool: Pool, signal: AbortSignal): Promise<void> {
  let last = { open: Infinity, at: performance.now() }
  for (const deadline = performance.now() + END_MS; performance.now() < deadline;) {
    signal.throwIfAborted()
    const open = await countOpen(pool, failoverOutboxes).catch(() => last.open)
    if (open === 0) return
    if (open !== last.open) last = { open, at: performance.now() }
    if (performance.now() - last.at > STUCK_MS) return
    await sleep(500)
  }
}

export interface Finished {
  readonly title: string
  readonly folder: string
  readonly load: Load
  readonly losses: readonly Event[]
  /** Messages a second that were asked for. */
  readonly rate: number
  /** What the scenario has measured. */
  readonly lines: readonly Line[]
  readonly isLossy: boolean
  readonly signal: AbortSignal
}

/** Ends the writing, waits for the rest, ends the processes and looks at what has become of it all. */
export async function drawUp(finished: Finished): Promise<Ledger[]> {
  const { title, folder, load, losses, rate, lines, isLossy, signal } = finished
  const written = await load.finish()
  // It writes too: what it stored while processes end would be delivered by none of them.
  await load.probe.stop()
  await awaitEnd(load.pool, signal)
  await Promise.all(load.fleets.map((fleet) => fleet.stop()))
  const streamed = await load.feed.conclude()
  const names = failoverOutboxes.map(({ name }) => name)
  const topics = new Set(names.filter((name) => transports[name] === 'topics'))
  const evidence = { pool: load.pool, folder, written, probe: load.probe, isLossy, topics }
  const messages = [
    ...(await messageLines(evidence)),
    ...streamed,
    ...(await alertLines(load.pool)),
  ]
  const pauses = await pauseLines(evidence, losses)
  return [
    { title, lines: [...rateLines(evidence, { losses, rate }), ...lines, ...pauses] },
    { title: 'messages', lines: messages },
    { title: 'seen', lines: await operatorLines(folder, load, losses) },
  ]
}

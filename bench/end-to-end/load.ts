import { setTimeout as sleep } from 'node:timers/promises'
import { epochMs } from './halves.ts'
import { atRate, percentile } from '../kit/harness.ts'

/** Messages on their way: which sample was committed when, and when its inbox row was. */
export interface Way {
  /** Enqueues the samples in one transaction. */
  write(samples: readonly number[]): Promise<void>
  readonly handled: Map<number, number>
  /** The last sample that was given out. */
  last: number
}

export interface Times {
  /** Inbox rows committed a second, while messages were written. */
  readonly perSecond: number
  /** From the answer to COMMIT until the inbox row is committed, in milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** A message that has not arrived by then counts with this time. */
const LONGEST_WAIT_MS = 20_000

/** A fixed rate, whether or not earlier messages have arrived. */
export async function openLoop(
  way: Way,
  load: { readonly perSecond: number; readonly perTransaction: number; readonly seconds: number },
): Promise<Times> {
  const { perSecond, perTransaction, seconds } = load
  const committed = new Map<number, number>()
  const transactions = Math.round((perSecond * seconds) / perTransaction)
  await atRate(perSecond / perTransaction, transactions, () =>
    commit(way, perTransaction, committed),
  )
  return timesOf(way, committed)
}

/** As fast as it goes with at most `atOnce` messages on their way. */
export async function closedLoop(
  way: Way,
  load: { readonly atOnce: number; readonly perTransaction: number; readonly seconds: number },
): Promise<Times> {
  const { atOnce, perTransaction, seconds } = load
  const committed = new Map<number, number>()
  const end = performance.now() + seconds * 1_000
  const before = way.handled.size
  const first = way.last
  const write = async (): Promise<void> => {
    while (performance.now() < end) {
      const onTheirWay = way.last - first - (way.handled.size - before)
      if (onTheirWay + perTransaction > atOnce) await sleep(1)
      else await commit(way, perTransaction, committed)
    }
  }
  await Promise.all([write(), write()])
  return timesOf(way, committed)
}

async function commit(way: Way, count: number, committed: Map<number, number>): Promise<void> {
  const samples = Array.from({ length: count }, () => (way.last += 1))
  await way.write(samples)
  const at = epochMs()
  for (const sample of samples) committed.set(sample, at)
}

async function timesOf({ handled }: Way, committed: ReadonlyMap<number, number>): Promise<Times> {
  const latest = performance.now() + LONGEST_WAIT_MS
  const isDone = () => [...committed.keys()].every((sample) => handled.has(sample))
  while (!isDone() && performance.now() < latest) await sleep(50)
  // Not by spreading: a bare loop has more messages than a call may have arguments.
  const start = committed.values().reduce((first, at) => Math.min(first, at), Infinity)
  const arrived = [...committed.keys()].flatMap((sample) => handled.get(sample) ?? [])
  const end = arrived.reduce((last, at) => Math.max(last, at), 0)
  const waits = [...committed].map(([sample, at]) =>
    Math.max(0, (handled.get(sample) ?? at + LONGEST_WAIT_MS) - at),
  )
  return {
    perSecond: Math.round(arrived.length / ((end - start) / 1_000)),
    p50: percentile(waits, 50),
    p99: percentile(waits, 99),
  }
}

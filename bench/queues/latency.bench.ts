import { setTimeout } from 'node:timers/promises'
import type { Commit, LatencyContestant, LatencyQueue } from './contestant.ts'
import { everyone, latencyField } from './field.ts'
import { atRate, inTurns, median, percentile, select, withOpen } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import type { Database, Server } from '../kit/postgres.ts'
import { ratio, type Report } from '../kit/report.ts'

const WARM_UP_SAMPLES = 100
const ALONE_SAMPLES = 500
const LOAD_PER_SECOND = 800
const LOAD_SECONDS = 10
/** A message that is not handled by then counts with this time. */
const LONGEST_WAIT_MS = 10_000
/** After so many of those one at a time, a contestant has failed. */
const MOST_UNHANDLED = 5

const LOADS = ['one at a time', `${LOAD_PER_SECOND}/s`] as const
type LoadName = (typeof LOADS)[number]

interface Times {
  /** Messages committed a second. */
  readonly sentPerSecond: number
  readonly p50: number
  readonly p99: number
  /** The same from the moment the COMMIT was issued. */
  readonly p50FromIssue: number
  readonly p99FromIssue: number
}

/**
 * From COMMIT to the start of the handler, in milliseconds, by one process's clock. The clock
 * starts when the COMMIT's answer is there; a handler that started before that counts as 0.
 */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds } = options
  const contestants = select(everyone(latencyField), options.only)
  const results = await inTurns(contestants, { server, rounds }, measureLatency)
  const lines = [...results].flatMap(([{ name, version, settings }, runs]) =>
    LOADS.map((load) => ({
      name,
      load,
      ...medians(runs.map((run) => run[load])),
      version,
      settings,
    })),
  )
  report.table(`commit to handler start in ms, median of ${rounds}`, lines)
  const isPeer = (name: string) => latencyField.peers.some((peer) => peer.name === name)
  report.table(
    'ratios',
    LOADS.flatMap((load) => {
      const here = lines.filter((line) => line.load === load)
      const best = Math.min(...here.filter(({ name }) => isPeer(name)).map(({ p50 }) => p50))
      return here
        .filter(({ name }) => !isPeer(name))
        .flatMap(({ name, p50 }) =>
          ratio(`${name.replace('posthorn ', '')} / best peer, p50, ${load}`, p50, best),
        )
    }),
  )
}

function medians(runs: readonly Times[]): Times {
  const of = (field: keyof Times) => Number(median(runs.map((run) => run[field])).toFixed(2))
  return {
    sentPerSecond: Math.round(of('sentPerSecond')),
    p50: of('p50'),
    p99: of('p99'),
    p50FromIssue: of('p50FromIssue'),
    p99FromIssue: of('p99FromIssue'),
  }
}

async function measureLatency(
  contestant: LatencyContestant,
  database: Database,
): Promise<Record<LoadName, Times>> {
  const samples = sampler()
  const queue = await contestant.open(database, (sample) => samples.onHandled(sample))
  return withOpen(queue, async () => {
    await oneAtATime(queue, samples, WARM_UP_SAMPLES)
    const alone = await oneAtATime(queue, samples, ALONE_SAMPLES)
    const loaded = await openLoop(queue, samples)
    return { 'one at a time': alone, [`${LOAD_PER_SECOND}/s` as const]: loaded }
  })
}

interface Sampler {
  next(): { sample: number; started: Promise<number> }
  onHandled(sample: number): void
}

/** Matches what is sent with what is handled. A second delivery of the same sample is ignored. */
function sampler(): Sampler {
  const waiting = new Map<number, (time: number) => void>()
  let last = 0
  return {
    next() {
      last += 1
      const { promise, resolve } = Promise.withResolvers<number>()
      waiting.set(last, resolve)
      return { sample: last, started: promise }
    },
    onHandled(sample) {
      waiting.get(sample)?.(performance.now())
      waiting.delete(sample)
    },
  }
}

interface Sample extends Commit {
  readonly started: number
}

async function oneSample(queue: LatencyQueue, samples: Sampler): Promise<Sample> {
  const { sample, started } = samples.next()
  const commit = await queue.send(sample)
  // The wait counts from the commit: at a rate that the database cannot take, sending comes late.
  const tooLate = new AbortController()
  const latest = setTimeout(LONGEST_WAIT_MS, undefined, { signal: tooLate.signal }).then(
    () => performance.now(),
    () => Number.NaN,
  )
  const time = await Promise.race([started, latest])
  tooLate.abort()
  return { ...commit, started: time }
}

async function oneAtATime(queue: LatencyQueue, samples: Sampler, count: number): Promise<Times> {
  const taken: Sample[] = []
  for (let i = 0; i < count; i += 1) {
    taken.push(await oneSample(queue, samples))
    if (taken.filter(isUnhandled).length > MOST_UNHANDLED)
      throw new Error('messages are not handled')
    // Long enough that a queue that polls in a burst after a message has gone to sleep again, and not
    // always the same.
    await setTimeout(Math.random() * 10)
  }
  return times(taken)
}

function isUnhandled({ answered, started }: Sample): boolean {
  return started - answered >= LONGEST_WAIT_MS
}

/** Whether or not earlier messages have arrived. */
async function openLoop(queue: LatencyQueue, samples: Sampler): Promise<Times> {
  const total = LOAD_PER_SECOND * LOAD_SECONDS
  return times(await atRate(LOAD_PER_SECOND, total, () => oneSample(queue, samples)))
}

function times(samples: readonly Sample[]): Times {
  const answered = samples.map((sample) => Math.max(0, sample.started - sample.answered))
  const issued = samples.map((sample) => Math.max(0, sample.started - sample.issued))
  const first = Math.min(...samples.map((sample) => sample.issued))
  const last = Math.max(...samples.map((sample) => sample.answered))
  return {
    sentPerSecond: samples.length / ((last - first) / 1_000),
    p50: percentile(answered, 50),
    p99: percentile(answered, 99),
    p50FromIssue: percentile(issued, 50),
    p99FromIssue: percentile(issued, 99),
  }
}

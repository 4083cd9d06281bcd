import type { Usage } from '../kit/processes/child.ts'
import type { Ledger, Line } from '../kit/ledger.ts'
import type { Attack } from './attacks/index.ts'
import { PER_SECOND, type Series, type Watched } from './neighbour.ts'
import type { Peak } from './peak.ts'

const MEGABYTE = 1024 * 1024

/**
 * How slow another's answers may become: by a factor, or up to what a person does not notice, but
 * never beyond what they would complain of.
 */
interface Pace {
  readonly slower: number
  readonly unnoticedMs: number
  readonly mostMs: number
}
const REQUESTS: Pace = { slower: 5, unnoticedMs: 250, mostMs: 1_000 }
/** Each is a file, written to a disk that an attack may write to as well. */
const UPLOADS: Pace = { slower: 5, unnoticedMs: 1_000, mostMs: 5_000 }
/** Kubernetes waits so long for a probe, unless its settings say otherwise. */
const PROBE_MS = 1_000
/** A webhook may wait for one attempt at each of the attacker's that hold its relay up. */
const WEBHOOK_MS = 10_000
/** A machine on which others are this slow before anything has begun says nothing of an attack. */
export const BUSY_MS = 200

/** Of what is asked for each second, so much must have been asked. */
const ASKED = 0.8

/** What may be left in memory, and in open files: caches, pools and what was compiled meanwhile. */
const MORE_HEAP = 64
const MORE_FILES = 40
/** The memory that the chart gives to a process of one role; this one has them all. */
const MOST_RESIDENT = 512

export interface Watch {
  readonly before: Watched
  readonly during: Watched
  readonly after: Watched
  /** How the attack was answered, and how often. */
  readonly answers: readonly (readonly [outcome: string, times: number])[]
  readonly usageBefore: Usage
  readonly usageAfter: Usage
  /** From the attack's begin to its end. */
  readonly peak: Peak
  readonly ms: number
  /** Ends of the server's process. */
  readonly exits: number
}

export function judge({ name, about, leavesFiles = MORE_FILES }: Attack, watch: Watch): Ledger {
  const { before, during, after, answers, usageBefore, usageAfter, peak, ms, exits } = watch
  const failures = answers.filter(([outcome]) => / 5\d\d /.test(` ${outcome} `))
  const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE)
  const seconds = ms / 1_000
  return {
    title: `flood, ${name}: ${about}, for ${seconds} s`,
    lines: [
      { name: 'its answers', value: answers.reduce((sum, [, times]) => sum + times, 0) },
      ...answers.map(([outcome, times]) => ({ name: `  ${outcome}`, value: times })),
      {
        name: 'its answers of 5xx',
        value: failures.reduce((sum, [, times]) => sum + times, 0),
        must: 0,
      },
      ...linesOf('requests', { watch, seconds, pace: REQUESTS }),
      ...linesOf('uploads', { watch, seconds, pace: UPLOADS }),
      ...askedLines("the server's probes", during.probes, PER_SECOND.probes * seconds),
      {
        name: 'longest answer to a probe, ms',
        value: Math.round(percentile(during.probes.times, 1)),
        atMost: PROBE_MS,
      },
      {
        name: "the other's webhooks during",
        value: during.webhooks.length,
        atLeast: Math.floor((PER_SECOND.requests / 6) * seconds * ASKED),
      },
      {
        name: "the other's webhooks that did not come",
        value: [...during.webhooks, ...after.webhooks].filter((each) => each === Infinity).length,
        must: 0,
      },
      { name: "p99 of the other's webhooks before, ms", value: webhooksOf(before) },
      {
        name: "p99 of the other's webhooks during, ms",
        value: webhooksOf(during),
        atMost: WEBHOOK_MS,
      },
      {
        name: "p99 of the other's webhooks after, ms",
        value: webhooksOf(after),
        atMost: WEBHOOK_MS,
      },
      { name: 'heap before, MB', value: megabytes(usageBefore.heapBytes) },
      {
        name: 'heap after, MB',
        value: megabytes(usageAfter.heapBytes),
        atMost: megabytes(usageBefore.heapBytes) + MORE_HEAP,
      },
      { name: 'resident before, MB', value: megabytes(usageBefore.residentBytes) },
      {
        name: 'resident at its peak, MB',
        value: megabytes(peak.residentBytes),
        atMost: MOST_RESIDENT,
      },
      { name: 'open files before', value: usageBefore.openFiles },
      { name: 'open files at their peak', value: peak.openFiles },
      {
        name: 'open files after',
        value: usageAfter.openFiles,
        atMost: usageBefore.openFiles + leavesFiles,
      },
      { name: 'processes that ended', value: exits, must: 0 },
    ],
    details: [
      [...during.requests.outcomes, ...during.uploads.outcomes, ...during.probes.outcomes]
        .filter((outcome) => !isGood(outcome))
        .slice(0, 20),
    ],
  }
}

interface Judged {
  readonly watch: Watch
  readonly seconds: number
  readonly pace: Pace
}

function linesOf(
  what: 'requests' | 'uploads',
  { watch: { before, during, after }, seconds, pace }: Judged,
): Line[] {
  const p99 = (watched: Watched) => Math.round(percentile(watched[what].times, 0.99))
  const p50 = (watched: Watched) => Math.round(percentile(watched[what].times, 0.5))
  const allowed = Math.max(pace.unnoticedMs, p99(before) * pace.slower)
  const atMost = Math.min(pace.mostMs, allowed)
  return [
    ...askedLines(`the other's ${what}`, during[what], PER_SECOND[what] * seconds),
    { name: `${what}, p50 before, ms`, value: p50(before) },
    { name: `${what}, p50 during, ms`, value: p50(during) },
    { name: `${what}, p99 before, ms`, value: p99(before) },
    { name: `${what}, p99 during, ms`, value: p99(during), atMost },
    { name: `${what}, p99 after, ms`, value: p99(after), atMost },
  ]
}

function askedLines(name: string, { outcomes }: Series, planned: number): Line[] {
  return [
    { name, value: outcomes.length, atLeast: Math.floor(planned * ASKED) },
    {
      name: `${name} not answered as asked`,
      value: outcomes.filter((outcome) => !isGood(outcome)).length,
      must: 0,
    },
  ]
}

function isGood(outcome: string): boolean {
  return outcome.startsWith('2')
}

function webhooksOf({ webhooks }: Watched): number {
  return Math.round(percentile(webhooks, 0.99))
}

/** Endless where there is none: what did not come was not quick. */
export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Infinity
}

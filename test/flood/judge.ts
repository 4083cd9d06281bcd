import type { Usage } from '../crash/child.ts'
import type { Ledger } from '../crash/ledger.ts'
import type { Attack } from './attacks/index.ts'
import type { Watched } from './neighbour.ts'

const MEGABYTE = 1024 * 1024

/** Slower than before by no more than this factor, or not slower than a person notices. */
const SLOWER = 10
const UNNOTICED_MS = 1_000
const WEBHOOK_MS = 10_000

/** What may be left in memory, and in open files: caches, pools and what was compiled meanwhile. */
const MORE_HEAP = 64
/** Endpoints that do not answer have ten requests each under way until they are given up. */
const MORE_FILES = 400

export interface Watch {
  readonly before: Watched
  readonly during: Watched
  readonly after: Watched
  /** How the attack was answered, and how often. */
  readonly answers: readonly (readonly [outcome: string, times: number])[]
  readonly usageBefore: Usage
  readonly usageDuring: Usage
  readonly usageAfter: Usage
  readonly ms: number
  /** Ends of the server's process. */
  readonly exits: number
}

export function judge({ name, about }: Attack, watch: Watch): Ledger {
  const { before, during, after, answers, usageBefore, usageDuring, usageAfter, ms, exits } = watch
  const most = Math.round(Math.max(UNNOTICED_MS, percentile(before.times, 0.99) * SLOWER))
  const failures = answers.filter(([outcome]) => / ?5\d\d /.test(` ${outcome} `))
  const megabytes = (bytes: number) => Math.round(bytes / MEGABYTE)
  return {
    title: `flood, ${name}: ${about}, for ${ms / 1_000} s`,
    lines: [
      { name: 'its answers', value: answers.reduce((sum, [, times]) => sum + times, 0) },
      ...answers.map(([outcome, times]) => ({ name: `  ${outcome}`, value: times })),
      {
        name: 'its answers of 5xx',
        value: failures.reduce((sum, [, times]) => sum + times, 0),
        must: 0,
      },
      { name: "the other's requests", value: during.times.length, atLeast: ms / 1_000 },
      {
        name: "the other's requests not answered as asked",
        value: during.outcomes.filter((outcome) => !/^2/.test(outcome)).length,
        must: 0,
      },
      { name: 'p50 before, ms', value: Math.round(percentile(before.times, 0.5)) },
      { name: 'p50 during, ms', value: Math.round(percentile(during.times, 0.5)) },
      { name: 'p99 before, ms', value: Math.round(percentile(before.times, 0.99)) },
      {
        name: 'p99 during, ms',
        value: Math.round(percentile(during.times, 0.99)),
        atMost: most,
      },
      { name: 'p99 after, ms', value: Math.round(percentile(after.times, 0.99)), atMost: most },
      { name: "p99 of the other's webhooks before, ms", value: webhooksOf(before) },
      {
        name: "p99 of the other's webhooks during, ms",
        value: webhooksOf(during),
        atMost: WEBHOOK_MS,
      },
      { name: 'heap before, MB', value: megabytes(usageBefore.heapBytes) },
      { name: 'heap during, MB', value: megabytes(usageDuring.heapBytes) },
      {
        name: 'heap after, MB',
        value: megabytes(usageAfter.heapBytes),
        atMost: megabytes(usageBefore.heapBytes) + MORE_HEAP,
      },
      { name: 'resident during, MB', value: megabytes(usageDuring.residentBytes) },
      { name: 'open files before', value: usageBefore.openFiles },
      { name: 'open files during', value: usageDuring.openFiles },
      {
        name: 'open files after',
        value: usageAfter.openFiles,
        atMost: usageBefore.openFiles + MORE_FILES,
      },
      { name: 'processes that ended', value: exits, must: 0 },
    ],
    details: [during.outcomes.filter((outcome) => !/^2/.test(outcome)).slice(0, 20)],
  }
}

function webhooksOf({ webhooks }: Watched): number {
  return Math.round(percentile(webhooks, 0.99))
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

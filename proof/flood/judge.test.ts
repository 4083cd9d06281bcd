import { expect, test } from 'vitest'
import { isBroken } from '../kit/ledger.ts'
import { judge, type Watch } from './judge.ts'
import type { Series, Watched } from './neighbour.ts'

const SECONDS = 10

function series(count: number, ms: number, outcome = '200'): Series {
  return {
    times: Array.from({ length: count }, () => ms),
    outcomes: Array.from({ length: count }, () => outcome),
  }
}

const well: Watched = {
  requests: series(20 * SECONDS, 20),
  uploads: series(SECONDS / 2, 60),
  probes: series(2 * SECONDS, 3),
  webhooks: Array.from({ length: 33 }, () => 100),
}
const usage = { heapBytes: 60e6, residentBytes: 250e6, openFiles: 50, resources: 10 }
const held: Watch = {
  ...{ before: well, during: well, after: well, usageBefore: usage, usageAfter: usage },
  answers: [['429 RATE_LIMITED', 1_000]],
  peak: { residentBytes: 300e6, openFiles: 60 },
  ms: SECONDS * 1_000,
  exits: 0,
}

/** Names of the lines that fail the run. */
function brokenIn(watch: Partial<Watch>, leavesFiles?: number): string[] {
  const attack = { name: 'test', about: 'a test', run: () => Promise.resolve() }
  const { lines } = judge(leavesFiles === undefined ? attack : { ...attack, leavesFiles }, {
    ...held,
    ...watch,
  })
  return lines.filter(isBroken).map(({ name }) => name)
}

test('an attack that another does not notice is held', () => {
  expect(brokenIn({})).toEqual([])
})

test.each<[string, Partial<Watched>, readonly string[]]>([
  ['requests that were not asked', { requests: series(100, 20) }, ["the other's requests"]],
  ['slow requests', { requests: series(200, 300) }, ['requests, p99 during, ms']],
  [
    'refused uploads',
    { uploads: series(5, 60, '429 TOO_MANY_UPLOADS') },
    ["the other's uploads not answered as asked"],
  ],
  [
    'probes that are refused',
    { probes: series(20, 3, '429 RATE_LIMITED') },
    ["the server's probes not answered as asked"],
  ],
  ['probes that are late', { probes: series(20, 1_500) }, ['longest answer to a probe, ms']],
  [
    'no webhook at all',
    { webhooks: [] },
    ["the other's webhooks during", "p99 of the other's webhooks during, ms"],
  ],
  [
    'a webhook that does not come',
    { webhooks: [...well.webhooks.slice(1), Infinity] },
    ["the other's webhooks that did not come", "p99 of the other's webhooks during, ms"],
  ],
])('%s are seen', (_, during, broken) => {
  expect(brokenIn({ during: { ...well, ...during } })).toEqual(broken)
})

test('webhooks are judged after the attack too', () => {
  const after = { ...well, webhooks: [Infinity] }
  expect(brokenIn({ after })).toContain("p99 of the other's webhooks after, ms")
})

test('a slow beginning allows no more than a second', () => {
  const slow = { ...well, requests: series(200, 190) }
  const during = { ...well, requests: series(200, 1_100) }
  expect(brokenIn({ before: slow, during })).toContain('requests, p99 during, ms')
})

test('memory is judged by its peak, files by what the attack may leave', () => {
  expect(brokenIn({ peak: { residentBytes: 900e6, openFiles: 60 } })).toEqual([
    'resident at its peak, MB',
  ])
  const usageAfter = { ...usage, openFiles: 150 }
  expect(brokenIn({ usageAfter })).toEqual(['open files after'])
  expect(brokenIn({ usageAfter }, 400)).toEqual([])
})

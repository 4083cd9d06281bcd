import { setTimeout as sleep } from 'node:timers/promises'
import { signToken } from '@posthorn/http'
import { temporaryPostgres } from '@posthorn/postgres'
import type { Ledger } from '../kit/ledger.ts'
import { startWholeServer } from '../kit/stand/whole-server.ts'
import type { Asked } from './client-process.ts'
import { readOperations, type Operation } from './description.ts'
import { openGauge, type Gauge, type Measured } from './measure.ts'
import { makeCandidates, type Candidate } from './requests.ts'
import { makeThings, openThings } from './things.ts'

/** No request may keep the others waiting for longer … */
const BLOCK_MS = 250
/** … cost more processor time … */
const CPU_MS = 1_000
/** … or answer with more, streams of files apart. */
const ANSWER_BYTES = 8 * 1024 * 1024

export interface Options {
  /** Operations whose path contains it. */
  readonly only: string
  readonly seed: number
}

interface Worst extends Measured {
  readonly operation: string
  readonly what: string
}

/** Every operation with the worst requests that can be made up for it, on a database with full pages. */
export async function runWorst(options: Options, signal: AbortSignal): Promise<readonly Ledger[]> {
  const secret = crypto.randomUUID() + crypto.randomUUID()
  const postgres = await temporaryPostgres({ settings: { fsync: 'off' } })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => postgres.close())
  const gauge = opened.use(openGauge())
  const token = await signToken({
    ...{ secret, sub: 'worst', org: 'demo', role: 'platform', expiresIn: '1d' },
  })
  const headers = { authorization: `Bearer ${token}` }
  const server = { DATABASE_URL: postgres.url, POSTHORN_JWT_SECRET: secret }
  const made = await fillDatabase(server, { gauge, headers, signal })
  // It only answers: what relays do is not the cost of a request.
  const measured = opened.use(await startWholeServer({ ...server, POSTHORN_ROLES: 'api' }))
  const below = ({ url, ...asked }: Asked) => ({ ...asked, url: measured.url + url })
  const all = await readOperations(measured.url)
  const fill = await openThings(all, (asked) => gauge.ask(below(asked)), headers)
  const operations = all.filter(({ path }) => path.includes(options.only) && !isOutside(path))
  const worst: Worst[] = []
  let unreached = 0
  for (const operation of operations) {
    signal.throwIfAborted()
    const urls = await fill(operation.path)
    if (urls.length === 0) unreached += 1
    const tried = makeCandidates(operation, urls.length > 0 ? urls : [anyUrl(operation)])
    const found = await measureAll(tried, (asked) =>
      gauge.measure(below({ ...asked, headers: { ...headers, ...asked.headers } })),
    )
    worst.push(
      ...found.map((each) => ({ ...each, operation: `${operation.method} ${operation.path}` })),
    )
  }
  return [judge(worst, { made, operations: operations.length, unreached })]
}

/** Simulators are not there in production. */
function isOutside(path: string): boolean {
  return path.startsWith('/sim/') || path.startsWith('/api/v1/sim') || path === '/api/v1/demo'
}

/** With ids of nothing: what is refused costs something too. */
function anyUrl({ path }: Operation): string {
  return path.replaceAll(/\{[^}]+\}/g, () => crypto.randomUUID())
}

/** The demo of all systems, and then full pages of the largest things that the API takes. */
async function fillDatabase(
  server: { DATABASE_URL: string; POSTHORN_JWT_SECRET: string },
  { gauge, headers, signal }: { gauge: Gauge; headers: Asked['headers']; signal: AbortSignal },
): Promise<number> {
  await using filled = await startWholeServer(server)
  const ask = ({ url, ...asked }: Asked) => gauge.ask({ ...asked, url: filled.url + url })
  const demo = (method: string) => ask({ method, url: '/api/v1/demo', headers })
  await demo('POST')
  for (;;) {
    signal.throwIfAborted()
    const { status } = JSON.parse((await demo('GET')).start) as { status: string }
    if (status === 'completed') break
    if (status !== 'running') throw new Error(`the demo has ${status}`)
    await sleep(1_000)
  }
  return await makeThings(await readOperations(filled.url), { ask, headers, signal })
}

/** The worst of them by each measure. */
async function measureAll(
  candidates: readonly Candidate[],
  measure: (asked: Asked) => Promise<Measured>,
): Promise<Omit<Worst, 'operation'>[]> {
  const found: Omit<Worst, 'operation'>[] = []
  for (const { what, asked } of candidates) {
    const { type, ...rest } = asked
    const headers: Record<string, string> = { 'idempotency-key': crypto.randomUUID() }
    if (type !== undefined) headers['content-type'] = type
    found.push({ what, ...(await measure({ ...rest, headers })) })
  }
  const most = (measureOf: (each: Measured) => number) =>
    found.toSorted((one, other) => measureOf(other) - measureOf(one)).slice(0, 1)
  return [...new Set([...most((e) => e.blockMs), ...most((e) => e.cpuMs), ...most((e) => e.bytes)])]
}

/** Rows of the table. */
const SHOWN = 15

function judge(
  worst: readonly Worst[],
  { made, operations, unreached }: { made: number; operations: number; unreached: number },
): Ledger {
  const row = ({ operation, what, status, cpuMs, blockMs, bytes }: Worst) =>
    `${operation}: ${what} → ${status}, ${blockMs.toFixed(0)} ms blocked, ${cpuMs.toFixed(0)} ms of processor time, ${(bytes / 1024).toFixed(0)} KiB`
  const top = (measureOf: (each: Worst) => number) =>
    worst.toSorted((one, other) => measureOf(other) - measureOf(one))
  const rows = [
    ...top((e) => e.blockMs).slice(0, SHOWN),
    ...top((e) => e.cpuMs).slice(0, 5),
    ...top((e) => e.bytes).slice(0, 5),
  ].map(row)
  console.log([...new Set(rows)].join('\n'))
  const most = (measureOf: (each: Worst) => number) => Math.round(Math.max(...worst.map(measureOf)))
  return {
    title: 'the worst request of every operation',
    lines: [
      { name: 'things made beside the demo', value: made, atLeast: 1_000 },
      { name: 'operations', value: operations, atLeast: 1 },
      { name: 'operations without a thing to ask for', value: unreached },
      {
        name: 'answers that did not come',
        value: worst.filter((e) => e.status === 0).length,
        must: 0,
      },
      { name: 'answers with 5xx', value: worst.filter((e) => e.status >= 500).length, must: 0 },
      {
        name: 'longest time for nothing else, ms',
        value: most((e) => e.blockMs),
        atMost: BLOCK_MS,
      },
      { name: 'most processor time, ms', value: most((e) => e.cpuMs), atMost: CPU_MS },
      { name: 'largest answer, bytes', value: most((e) => e.bytes), atMost: ANSWER_BYTES },
    ],
    details: top((e) => e.blockMs)
      .slice(0, SHOWN)
      .map(row),
  }
}

import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  exchange,
  JSON_TYPE,
  statement,
  STATEMENT_TYPE,
  type Answered,
  type Outcome,
} from './exchange.ts'
import type { Receiver } from './outside.ts'

/** The organisation that does nothing unusual, and the probes of those who run the server. */
export interface Neighbour {
  /** Works for so long, and says how it was answered. */
  watch(ms: number): Promise<Watched>
}

export interface Watched {
  readonly requests: Series
  /** Of small statements. */
  readonly uploads: Series
  /** Of `/healthz` and `/readyz`. */
  readonly probes: Series
  /** Of webhooks after the payment's answer, in ms; endless for those that did not come. */
  readonly webhooks: readonly number[]
}

export interface Series {
  /** In ms. */
  readonly times: readonly number[]
  readonly outcomes: readonly Outcome[]
}

/** Below all limits, also where each upload takes seconds: of its requests one in six writes. */
export const PER_SECOND = { requests: 20, uploads: 0.5, probes: 2 }
const READS = [
  '/api/v1/payments?limit=20',
  '/api/v1/webhook-endpoints',
  '/api/v1/file-jobs',
  '/api/v1/event-types',
  '/api/v1/search?q=neighbour',
]
const PROBES = ['/healthz', '/readyz']

interface Post {
  readonly path: string
  readonly name: string
  readonly body: object
}

/** How long its last webhooks may take. */
const WEBHOOK_MS = 20_000

export async function createNeighbour(
  url: string,
  { token, receiver }: { token: string; receiver: Receiver },
): Promise<Neighbour> {
  const kept = new Agent({ keepAlive: true })
  // Connections of its own are what a flood of them would take.
  const fresh = new Agent({ keepAlive: false })
  const get = (agent: Agent, path: string) =>
    exchange({ agent, method: 'GET', url: new URL(path, url), token })
  const post = (agent: Agent, { path, name, body }: Post) =>
    exchange({
      ...{ agent, method: 'POST', url: new URL(path, url), token },
      headers: { ...JSON_TYPE, 'idempotency-key': name },
      body: JSON.stringify(body),
    })
  const endpoint = { url: receiver.url, eventTypes: ['*'] }
  const { outcome: made, body } = await post(kept, {
    ...{ path: '/api/v1/webhook-endpoints', name: 'own', body: endpoint },
  })
  if (made !== '201') throw new Error(`no endpoint: ${made} ${body}`)

  let number = 0
  return {
    async watch(ms) {
      const paid = new Map<string, number>()
      const ask = async (): Promise<Answered> => {
        const n = (number += 1)
        const agent = n % 4 === 0 ? fresh : kept
        const path = READS[n % (READS.length + 1)]
        if (path !== undefined) return get(agent, path)
        const name = `neighbour-${n}`
        const payment = { amount: 1_000, currency: 'EUR', externalPaymentId: name }
        const answer = await post(agent, { path: '/api/v1/payments', name, body: payment })
        const id = /"id":"([^"]+)"/.exec(answer.body)?.[1]
        if (id !== undefined) paid.set(id, performance.now())
        return answer
      }
      const upload = (): Promise<Answered> => {
        const name = `neighbour-${(number += 1)}`
        return exchange({
          ...{ agent: fresh, method: 'POST', url: new URL('/api/v1/reconciliations', url), token },
          headers: { ...STATEMENT_TYPE, 'idempotency-key': name },
          body: statement(name, 1),
        })
      }
      const probe = (turn: number): Promise<Answered> => {
        const path = PROBES[turn % PROBES.length] ?? '/healthz'
        return exchange({ agent: fresh, method: 'GET', url: new URL(path, url) })
      }
      const [requests, uploads, probes] = await Promise.all([
        keepAsking(ask, { ms, perSecond: PER_SECOND.requests }),
        keepAsking(upload, { ms, perSecond: PER_SECOND.uploads }),
        keepAsking(probe, { ms, perSecond: PER_SECOND.probes }),
      ])
      const waitUntil = performance.now() + WEBHOOK_MS
      const isMissing = () => [...paid.keys()].some((id) => receiver.arrivalOf(id) === undefined)
      while (isMissing() && performance.now() < waitUntil) await sleep(100)
      const webhooks = [...paid].map(([id, at]) =>
        Math.max(0, (receiver.arrivalOf(id) ?? Infinity) - at),
      )
      return { requests, uploads, probes, webhooks }
    },
  }
}

/** Asks at its times, whether or not the one before was answered, as people and probes do. */
async function keepAsking(
  ask: (turn: number) => Promise<Answered>,
  { ms, perSecond }: { ms: number; perSecond: number },
): Promise<Series> {
  const times: number[] = []
  const outcomes: Outcome[] = []
  const askOnce = async (turn: number) => {
    const began = performance.now()
    const { outcome } = await ask(turn)
    times.push(performance.now() - began)
    outcomes.push(outcome)
  }
  const began = performance.now()
  const asked: Promise<void>[] = []
  for (let turn = 0; (turn * 1_000) / perSecond < ms; turn += 1) {
    await sleep(Math.max(0, began + (turn * 1_000) / perSecond - performance.now()))
    asked.push(askOnce(turn))
  }
  await Promise.all(asked)
  return { times, outcomes }
}

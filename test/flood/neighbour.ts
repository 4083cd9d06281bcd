import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exchange, type Outcome } from './exchange.ts'
import type { Receiver } from './receiver.ts'

/** The organisation that does nothing unusual. */
export interface Neighbour {
  /** Works for so long, and says how it was answered. */
  watch(ms: number): Promise<Watched>
}

export interface Watched {
  /** Of requests, in ms. */
  readonly times: readonly number[]
  readonly outcomes: readonly Outcome[]
  /** Of webhooks after the payment's answer, in ms; endless for those that did not come. */
  readonly webhooks: readonly number[]
}

/** A write and five reads, below all limits. */
const PER_SECOND = 20
const READS = [
  '/api/v1/payments?limit=20',
  '/api/v1/webhook-endpoints',
  '/api/v1/file-jobs',
  '/api/v1/event-types',
  '/api/v1/search?q=neighbour',
]

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
  const post = (agent: Agent, { path, name, body }: Post) =>
    exchange({
      ...{ agent, method: 'POST', url: new URL(path, url), token },
      headers: { 'content-type': 'application/json', 'idempotency-key': name },
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
      const times: number[] = []
      const outcomes: Outcome[] = []
      const paid = new Map<string, number>()
      const asked: Promise<void>[] = []
      const ask = async (agent: Agent, n: number) => {
        const began = performance.now()
        const path = READS[n % (READS.length + 1)]
        const name = `neighbour-${n}`
        const payment = { amount: 1_000, currency: 'EUR', externalPaymentId: name }
        const { outcome, body: answer } =
          path === undefined
            ? await post(agent, { path: '/api/v1/payments', name, body: payment })
            : await exchange({ agent, method: 'GET', url: new URL(path, url), token })
        times.push(performance.now() - began)
        outcomes.push(outcome)
        const id = /"id":"([^"]+)"/.exec(answer)?.[1]
        if (path === undefined && id !== undefined) paid.set(id, performance.now())
      }
      const until = performance.now() + ms
      while (performance.now() < until) {
        number += 1
        asked.push(ask(number % 4 === 0 ? fresh : kept, number))
        await sleep(1_000 / PER_SECOND)
      }
      await Promise.all(asked)
      const waitUntil = performance.now() + WEBHOOK_MS
      const isMissing = () => [...paid.keys()].some((id) => receiver.arrivalOf(id) === undefined)
      while (isMissing() && performance.now() < waitUntil) await sleep(100)
      const webhooks = [...paid].map(([id, at]) =>
        Math.max(0, (receiver.arrivalOf(id) ?? Infinity) - at),
      )
      return { times, outcomes, webhooks }
    },
  }
}

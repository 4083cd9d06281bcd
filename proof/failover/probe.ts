import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@posthorn/engine'
import type { Client } from '../kit/stand/client.ts'
import { EVENTS_PATH } from './system.ts'

/** What one who watches the API from outside saw. */
export interface Probe {
  /** Times of requests that were stored, and how many were answered otherwise. */
  readonly requests: { readonly storedAt: readonly number[]; readonly answers: Map<string, number> }
  /** Ids of messages that the API was asked to store. */
  readonly asked: ReadonlySet<string>
  /** Of those that it said it had stored. */
  readonly stored: readonly string[]
  /** What `/readyz` said whenever it changed. */
  readonly readiness: readonly { readonly atMs: number; readonly said: string }[]
  stop(): Promise<void>
}

const EVERY_MS = 200

/** Stores a message and asks for readiness, over and over. */
export function startProbe(client: Client): Probe {
  const over = new AbortController()
  const storedAt: number[] = []
  const asked = new Set<string>()
  const stored: string[] = []
  const answers = new Map<string, number>()
  const readiness: { atMs: number; said: string }[] = []

  const askOnce = async () => {
    const json = { id: uuid(), n: stored.length + 1 }
    asked.add(json.id)
    const answer = await client.tryOnce({ method: 'POST', path: EVENTS_PATH, json })
    if (answer !== undefined && answer.status < 300) {
      stored.push(json.id)
      storedAt.push(Date.now())
    }
    const said = answer === undefined ? 'no answer' : String(answer.status)
    answers.set(said, (answers.get(said) ?? 0) + 1)
  }
  const look = async () => {
    const answer = await client.tryOnce({ method: 'GET', path: '/readyz' })
    const said = answer === undefined ? 'no answer' : describe(answer.status, answer.body)
    if (readiness.at(-1)?.said !== said) readiness.push({ atMs: Date.now(), said })
  }
  const repeat = async (step: () => Promise<void>) => {
    while (!over.signal.aborted) {
      await step()
      await sleep(EVERY_MS)
    }
  }
  const running = Promise.all([repeat(askOnce), repeat(look)])
  return {
    requests: { storedAt, answers },
    asked,
    stored,
    readiness,
    async stop() {
      over.abort()
      await running
    },
  }
}

function describe(status: number, body: Readonly<Record<string, unknown>>): string {
  const checks = Object.entries((body['checks'] ?? {}) as Record<string, { ok: boolean }>)
  const failed = checks.filter(([, { ok }]) => !ok).map(([name]) => name)
  return failed.length === 0 ? String(status) : `${status} (${failed.join(', ')})`
}

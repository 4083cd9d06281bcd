import { setTimeout as sleep } from 'node:timers/promises'
import { signToken } from '@posthorn/http'
import { keepAnswer, type KeptAnswer } from './answers.ts'

/** What a client sends; always under a key, so that it may ask again. */
export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly key?: string
  readonly json?: unknown
  readonly zip?: Uint8Array<ArrayBuffer>
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A client that asks again until it has an answer that counts, as a good one does. */
export interface Client {
  readonly org: string
  ask(request: Request): Promise<Answer>
  /** One attempt; undefined where no answer came. */
  tryOnce(request: Request): Promise<Answer | undefined>
  /** What `ask` was answered for good, in order. */
  readonly answers: readonly KeptAnswer[]
  readonly counts: { asked: number; repeated: number; unanswered: number }
}

const CLAIMS = { sub: 'chaos', expiresIn: '12h' } as const

/** A request has this long, or the API takes too long to come back. */
const PATIENCE_MS = 600_000
const ATTEMPT_MS = 30_000
const PAUSES_MS = [100, 250, 500, 1_000]

export async function createClient(
  url: string,
  { secret, org, role = 'admin' }: { secret: string; org: string; role?: 'admin' | 'operator' },
): Promise<Client> {
  const token = await signToken({ secret, org, role, ...CLAIMS })
  const counts = { asked: 0, repeated: 0, unanswered: 0 }
  const answers: KeptAnswer[] = []

  const tryOnce = async ({ method, path, key, json, zip }: Request) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(zip !== undefined && { 'content-type': 'application/zip' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(zip !== undefined && { body: zip }),
        signal: AbortSignal.timeout(ATTEMPT_MS),
      })
      const text = await response.text()
      const isJson = /json/.test(response.headers.get('content-type') ?? '')
      return { status: response.status, body: isJson ? JSON.parse(text) : { text } } as Answer
    } catch {
      // Refused, reset, or silent: the process behind it is gone or cut off.
      return undefined
    }
  }

  return {
    org,
    answers,
    counts,
    tryOnce,
    async ask(request) {
      counts.asked += 1
      const deadline = performance.now() + PATIENCE_MS
      for (let tries = 0; ; tries += 1) {
        const answer = await tryOnce(request)
        if (answer && isFinal(answer)) {
          answers.push(keepAnswer(request, answer))
          return answer
        }
        if (performance.now() > deadline) {
          counts.unanswered += 1
          answers.push(keepAnswer(request, { status: 0, body: {} }))
          return answer ?? { status: 0, body: {} }
        }
        counts.repeated += 1
        await sleep(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)])
      }
    },
  }
}

/** Whether asking again would bring nothing new. */
function isFinal({ status, body }: Answer): boolean {
  if (status >= 500 || status === 429 || status === 408) return false
  return body['code'] !== 'IDEMPOTENCY_KEY_IN_FLIGHT' && body['retryable'] !== true
}

import { transaction, type Transaction } from '@posthorn/engine'
import {
  claimKey,
  completeKey,
  type IdempotencyStore,
  type KeyOutcome,
  type KeyedRequest,
  type StoredResponse,
  fingerprint,
} from '@posthorn/engine/inbox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from './problem/problem.ts'
import { callerOf } from './access/caller.ts'

export interface IdempotentOptions {
  readonly pool: Pool
  readonly store: IdempotencyStore
  /** Default false: without a key the work just runs. */
  readonly required?: boolean
}

/** What the work answers; the body is written by the route's response schema. */
export interface WorkResult {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Keys that this process is working on, for each table of keys. */
const atWork = new WeakMap<IdempotencyStore, Set<string>>()

/**
 * Runs `work` once for each `Idempotency-Key`: the key, the work's writes and its answer commit
 * together. A repeat gets the same bytes; work that throws leaves no key behind. For routes whose
 * whole effect is that transaction; who calls the outside uses the engine's keys step by step.
 */
export async function withIdempotencyKey(
  reply: FastifyReply,
  options: IdempotentOptions,
  work: (tx: Transaction) => Promise<WorkResult>,
): Promise<void> {
  const { pool, store, required = false } = options
  const keyed = required ? requireKey(reply.request) : keyedRequest(reply.request)
  if (!keyed) return sendStored(reply, serialise(reply, await transaction(pool, work)))
  const outcome = await alone(store, keyed, () =>
    transaction(pool, async (tx): Promise<Worked> => {
      const claim = await claimKey(tx, store, keyed)
      if (claim.kind !== 'claimed') return claim
      const response = serialise(reply, await work(tx))
      await completeKey(tx, claim, response)
      return { kind: 'worked', response }
    }),
  )
  return outcome.kind === 'worked'
    ? sendStored(reply, outcome.response)
    : answerRepeat(reply, outcome)
}

type Repeat = Exclude<KeyOutcome, { kind: 'claimed' }>
type Worked = Repeat | { readonly kind: 'worked'; readonly response: StoredResponse }

/** Answers a request whose key `claimKey` did not give: again the same, or why not. */
export function answerRepeat(reply: FastifyReply, outcome: Repeat): FastifyReply {
  switch (outcome.kind) {
    case 'replay': {
      const { status, headers, body } = outcome.response
      // Nothing was created this time.
      return sendStored(reply.header('idempotent-replayed', 'true'), {
        status: status === 201 ? 200 : status,
        headers,
        body,
      })
    }
    case 'reused':
      throw problem('IDEMPOTENCY_KEY_REUSED', {
        detail: 'The Idempotency-Key was used with another request. Use a new key.',
      })
    case 'inFlight':
      throw inFlight()
  }
}

/** Sends exactly the bytes that were stored. */
export function sendStored(
  reply: FastifyReply,
  { status, headers, body }: StoredResponse,
): FastifyReply {
  return reply.code(status).headers(headers).send(Buffer.from(body))
}

/**
 * Refuses a key that this process is at work on. Otherwise each repeat would hold a connection
 * while it waits for the first one's commit, and fifty of them would use up the pool.
 */
async function alone<Result>(
  store: IdempotencyStore,
  { scope, key }: KeyedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const keys = atWork.get(store) ?? new Set()
  atWork.set(store, keys)
  const id = JSON.stringify([scope, key])
  if (keys.has(id)) throw inFlight()
  keys.add(id)
  try {
    return await work()
  } finally {
    keys.delete(id)
  }
}

function inFlight() {
  return problem('IDEMPOTENCY_KEY_IN_FLIGHT', { retryAfterSeconds: 1 })
}

function serialise(reply: FastifyReply, { status, body, headers }: WorkResult): StoredResponse {
  const text = body === undefined ? '' : (reply.code(status).serialize(body) as string)
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(text),
  }
}

/**
 * The request under its `Idempotency-Key`; undefined without the header. A key belongs to a user and
 * a route; the fingerprint also covers the address with its ids and query.
 */
export function keyedRequest(request: FastifyRequest): KeyedRequest | undefined {
  const key = keyOf(request)
  if (key === undefined) return undefined
  const { org, sub } = callerOf(request)
  const { method, url, body } = request
  return {
    scope: JSON.stringify([org, sub, method, request.routeOptions.config.url]),
    key,
    fingerprint: fingerprint({ method, route: url, body }),
  }
}

/** The same for a route that insists on a key: 400 without one. */
export function requireKey(request: FastifyRequest): KeyedRequest {
  const keyed = keyedRequest(request)
  if (!keyed) throw problem('IDEMPOTENCY_KEY_MISSING')
  return keyed
}

const KEY = '[ -~]{1,255}'

/** The header `Idempotency-Key`, for the description of a route. */
export const keyHeader = (isRequired = false) => {
  const key = Type.String({
    description:
      'Unique key of your choice. For 24 hours, repeating the request on this route with this key returns the first answer',
    documented: { pattern: `^(${KEY}|"${KEY}")$` },
  })
  return Type.Object(
    { 'idempotency-key': Type.Optional(key) },
    isRequired ? { documented: { required: ['idempotency-key'] } } : {},
  )
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  // The draft standard writes it as a quoted string; most clients write it bare.
  const key = /^"(.*)"$/.exec(String(header))?.[1] ?? String(header)
  if (new RegExp(`^${KEY}$`).test(key)) return key
  throw problem('IDEMPOTENCY_KEY_INVALID', {
    detail: 'The key must be 1 to 255 printable ASCII characters.',
    errors: [{ field: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }],
  })
}

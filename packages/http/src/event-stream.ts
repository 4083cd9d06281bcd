import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { networkOf, userOf } from './access/caller.ts'
import { sessionSecret, type SessionReader } from './access/session.ts'
import { problem, ProblemError } from './problem/problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How many event streams are open: of each caller, of each organisation, and in all. */
    streams: Map<string, number>
    readSession: SessionReader | undefined
  }
}

export interface EventStreamOptions {
  /** Batches of events, asked for one at a time; the signal says that the client has gone. */
  readonly events: (signal: AbortSignal) => AsyncIterable<readonly StreamEvent[]>
  /** Default 15 s. */
  readonly keepAliveMs?: number
  /** When a client that lost its connection comes back. Default 2 s. */
  readonly retryMs?: number
  /** A client that takes no bytes for so long is cut off; it resumes by its last id. Default 30 s. */
  readonly patienceMs?: number
  /** Default 10. */
  readonly maxPerCaller?: number
  /** Default 100: one organisation cannot take the streams of the others. */
  readonly maxPerOrg?: number
  /** Of this process. Default 1,000. */
  readonly maxInAll?: number
}

/** The longest delay that Node's timers know. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** `Last-Event-ID` as the client sent it; undefined without, 400 if it cannot be one of ours. */
export function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^[\x21-\x7e]{1,4096}$/.test(id)) return id
  throw problem('VALIDATION_FAILED', {
    errors: [{ field: 'Last-Event-ID', reason: 'must be 1 to 4096 printable ASCII characters' }],
  })
}

/**
 * Answers with a stream of events until the source ends, the client leaves or takes nothing more,
 * the token expires or the app closes. Resolves when it is over.
 */
export async function sendEvents(reply: FastifyReply, options: EventStreamOptions): Promise<void> {
  const { request } = reply
  const leave = enter(request, options)
  request.endTurn?.()
  const over = new AbortController()
  const stop = () => over.abort()
  const { closing } = request.server
  closing.addEventListener('abort', stop, { once: true })
  reply.raw.once('close', stop)
  const expiry = setTimeout(stop, timeLeft(request))
  const watch = setInterval(() => void stopIfEnded(request, stop), SESSION_MS)
  try {
    open(reply, options)
    if (closing.aborted || reply.raw.destroyed || request.method === 'HEAD') stop()
    await writeAll(reply.raw, options, over)
  } catch (error) {
    request.log.error({ err: error }, 'event stream failed; the connection is closed')
  } finally {
    clearTimeout(expiry)
    clearInterval(watch)
    closing.removeEventListener('abort', stop)
    stop()
    leave()
    reply.raw.end()
  }
}

/** How often a stream looks whether its session was ended meanwhile. */
const SESSION_MS = 10_000

/** A database that does not answer ends no stream. */
async function stopIfEnded(request: FastifyRequest, stop: () => void): Promise<void> {
  const secret = request.headers.authorization === undefined ? sessionSecret(request) : undefined
  if (secret === undefined) return
  await request.server.readSession?.(secret).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 401) stop()
  })
}

/** Counts a stream in; throws `TOO_MANY_STREAMS`. Returns how to count it out. */
function enter(
  { caller, ip, server: { streams } }: FastifyRequest,
  { maxPerCaller = 10, maxPerOrg = 100, maxInAll = 1_000 }: EventStreamOptions,
): () => void {
  const limits = [
    { name: caller ? userOf(caller) : networkOf(ip), most: maxPerCaller, whose: '' },
    ...(caller ? [{ name: caller.org, most: maxPerOrg, whose: ' of an organisation' }] : []),
    { name: '', most: maxInAll, whose: ' of all callers' },
  ]
  for (const { name, most, whose } of limits) {
    if ((streams.get(name) ?? 0) < most) continue
    throw problem('TOO_MANY_STREAMS', {
      detail: `At most ${most} event streams${whose} at once.`,
      retryAfterSeconds: 5,
    })
  }
  const count = (name: string, by: number) => {
    const taken = (streams.get(name) ?? 0) + by
    if (taken > 0) streams.set(name, taken)
    else streams.delete(name)
  }
  for (const { name } of limits) count(name, 1)
  return () => {
    for (const { name } of limits) count(name, -1)
  }
}

function timeLeft({ caller }: FastifyRequest): number {
  if (!caller) return LONGEST_TIMER_MS
  return Math.min(Math.max(0, caller.expiresAt - Date.now()), LONGEST_TIMER_MS)
}

/** Takes the reply out of Fastify's hands, with the headers that were set so far. */
function open(reply: FastifyReply, { retryMs = 2_000 }: EventStreamOptions): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // nginx would collect the events before it passes them on.
    'x-accel-buffering': 'no',
  })
  reply.raw.write(`retry: ${retryMs}\n\n`)
}

async function writeAll(
  response: ServerResponse,
  options: EventStreamOptions,
  over: AbortController,
): Promise<void> {
  const { signal } = over
  const keepAlive = setInterval(() => {
    // A full buffer needs no proof of life.
    if (!response.writableNeedDrain) response.write(': here\n\n')
  }, options.keepAliveMs ?? 15_000)
  const batches = options.events(signal)[Symbol.asyncIterator]()
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  try {
    while (!signal.aborted) {
      const next = await Promise.race([batches.next(), aborted])
      if (!next || next.done) return
      const flowing = response.write(next.value.map(encodeEvent).join(''))
      if (!flowing) await drain(response, signal, options.patienceMs ?? 30_000)
    }
  } finally {
    clearInterval(keepAlive)
    over.abort()
    // Not awaited: a generator that waits for something ends only once that has happened.
    void batches.return?.().catch(() => undefined)
  }
}

/** Waits until the client has taken what was written, or cuts it off. */
async function drain(
  response: ServerResponse,
  signal: AbortSignal,
  patienceMs: number,
): Promise<void> {
  try {
    await once(response, 'drain', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    })
  } catch {
    if (!signal.aborted) response.destroy()
  }
}

/** One server-sent event. */
export interface StreamEvent {
  /** What the client sends back as `Last-Event-ID`. */
  readonly id?: string
  /** Default `message`. */
  readonly event?: string
  /** Any JSON value; a string is sent as it is. */
  readonly data: unknown
}

/** The text of an event. Line breaks can end neither a field nor the event early. */
export function encodeEvent({ id, event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${field('id', id)}${field('event', event)}${lines.join('')}\n`
}

function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value.replaceAll(/[\r\n\0]/g, '')}\n`
}

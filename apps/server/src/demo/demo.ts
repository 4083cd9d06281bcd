import { randomBytes } from 'node:crypto'
import type { Log } from '@posthorn/engine'
import {
  DemoError,
  mend,
  nullable,
  NullableText,
  type DemoStep,
  type DemoApi,
  type DemoRequest,
} from '@posthorn/system'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type, type Static } from 'typebox'

const NullableTime = nullable(Type.String({ format: 'date-time' }))

/** How far a run is, as the API shows it. */
export const Progress = Type.Object({
  status: Type.Enum(['idle', 'running', 'completed', 'failed', 'cancelled']),
  startedAt: NullableTime,
  endedAt: NullableTime,
  error: NullableText,
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      about: Type.String({ description: 'What the step does' }),
      look: Type.Array(
        Type.Object({
          label: Type.String(),
          path: Type.String({ description: 'Path of the dashboard page' }),
        }),
      ),
      status: Type.Enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
      says: Type.Array(Type.String(), { description: 'What the step found, one sentence each' }),
    }),
  ),
})
export type Progress = Static<typeof Progress>

/** What it may take to put things back after a run that did not end by itself. */
const MEND_WITHIN_MS = 5_000

const CLOSING = new Error('the server is stopping')

/** The demonstration of one server: one run at a time, and how far it is. */
export interface Demo {
  progress(): Progress
  /** Starts a run, unless one is under way: then nothing is done. */
  start(as: Actor): Progress
  /** Ends a run that is under way; resolves once nothing of it goes on. */
  cancel(): Promise<Progress>
  /** The same for a server that is stopping: its simulators are gone with it, and need no mending. */
  close(): Promise<void>
}

/** In whose name a run acts, and where the server is. */
export interface Actor {
  /** The token or the session cookie of the user who started it: the story acts in no other name. */
  readonly credentials: Readonly<Record<string, string>>
  readonly url: string
  /** The address of this server as others reach it. */
  readonly baseUrl: string
}

export interface DemoOptions {
  readonly log: Log
  /** The steps of a new run. */
  story(): readonly DemoStep[]
  /** The simulators that it plays with. */
  readonly simulators: readonly string[]
}

export function createDemo({ log, story, simulators }: DemoOptions): Demo {
  let progress = fresh(story(), 'idle')
  let stop: AbortController | undefined
  let playing: Promise<void> = Promise.resolve()

  const mendAll = async (actor: Actor, signal: AbortSignal) => {
    const api = createDemoApi({ ...actor, signal })
    for (const simulator of simulators) await mend(api, simulator)
  }
  const play = async (steps: readonly DemoStep[], { actor, signal }: Run) => {
    await mendAll(actor, signal)
    const stage = {
      api: createDemoApi({ ...actor, signal }),
      run: randomBytes(4).toString('hex'),
      baseUrl: actor.baseUrl,
      notes: undefined,
    }
    for (const [i, step] of steps.entries()) {
      const shown = progress.steps[i]
      if (shown === undefined) return
      shown.status = 'running'
      try {
        await step.play({ ...stage, tell: (sentence) => void shown.says.push(sentence) })
      } catch (error) {
        shown.status = signal.aborted ? 'cancelled' : 'failed'
        throw error
      }
      shown.status = 'done'
    }
  }
  const end = (status: Progress['status'], error: string | null = null) => {
    progress = { ...progress, status, error, endedAt: new Date().toISOString() }
  }
  const run = async (steps: readonly DemoStep[], { actor, signal }: Run) => {
    try {
      await play(steps, { actor, signal })
      end('completed')
    } catch (error) {
      // Simulators set to fail must not go on failing after the run.
      if (signal.reason !== CLOSING) {
        await mendAll(actor, AbortSignal.timeout(MEND_WITHIN_MS)).catch(() => undefined)
      }
      if (signal.aborted) return end('cancelled')
      if (!(error instanceof DemoError))
        log.error({ err: error }, 'demonstration failed; it can be started again')
      end('failed', error instanceof Error ? error.message : String(error))
    }
  }
  return {
    // As it is at this moment: the story goes on while the answer is written.
    progress: () => structuredClone(progress),
    start(actor) {
      if (progress.status === 'running') return structuredClone(progress)
      const steps = story()
      progress = { ...fresh(steps, 'running'), startedAt: new Date().toISOString() }
      stop = new AbortController()
      playing = run(steps, { actor, signal: stop.signal })
      return structuredClone(progress)
    },
    async cancel() {
      stop?.abort()
      await playing
      return progress
    },
    async close() {
      stop?.abort(CLOSING)
      await playing
    },
  }
}

interface Run {
  readonly actor: Actor
  readonly signal: AbortSignal
}

function fresh(story: readonly DemoStep[], status: Progress['status']): Progress {
  const steps = story.map(({ id, title, about, look }): Progress['steps'][number] => ({
    ...{ id, title, about, look: [...look] },
    status: 'waiting',
    says: [],
  }))
  return { status, startedAt: null, endedAt: null, error: null, steps }
}

/** How long something may take that takes a second on a quiet machine. */
const PATIENCE_MS = 90_000
const EVERY_MS = 400

interface DemoApiOptions extends Pick<Actor, 'credentials' | 'url'> {
  readonly signal: AbortSignal
}

function createDemoApi({ url, credentials, signal }: DemoApiOptions): DemoApi {
  const call = async <Body>(
    method: string,
    path: string,
    sent: DemoRequest = {},
  ): Promise<Body> => {
    for (;;) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headersOf(sent), ...credentials },
        ...bodyOf(sent),
        signal,
      })
      const text = await response.text()
      const isTooSoon = response.status === 429 && response.headers.has('retry-after')
      if (!isTooSoon) return requireAnswer<Body>(`${method} ${path}`, { response, text, sent })
      await sleep(Number(response.headers.get('retry-after')) * 1_000, undefined, { signal })
    }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, sent) => call('POST', path, sent),
    async until<Body>(path: string, isDone: (body: Body) => boolean) {
      const end = performance.now() + PATIENCE_MS
      for (;;) {
        const body = await call<Body>('GET', path)
        if (isDone(body)) return body
        if (performance.now() > end) throw new DemoError(tooLong(path))
        await sleep(EVERY_MS, undefined, { signal })
      }
    },
  }
}

function tooLong(path: string): string {
  const seconds = PATIENCE_MS / 1_000
  return `${path} is not as awaited after ${seconds} s: is an outbox paused, or does no relay run?`
}

function headersOf({ json, content, headers }: DemoRequest): Record<string, string> {
  return {
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(content && { 'content-type': content.type }),
    ...headers,
  }
}

function bodyOf({ json, content }: DemoRequest): { body?: string | Uint8Array<ArrayBuffer> } {
  if (content) return { body: content.bytes }
  return json === undefined ? {} : { body: JSON.stringify(json) }
}

interface Answer {
  readonly response: Response
  readonly text: string
  readonly sent: DemoRequest
}

function requireAnswer<Body>(what: string, { response, text, sent }: Answer): Body {
  const { status, ok } = response
  const isExpected = sent.expect?.includes(status) ?? ok
  if (!isExpected) throw new DemoError(`${what} answered ${status}: ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Body
}

import { createEventParser, type ServerEvent } from './live-event.ts'

/**
 *   connecting ──▶ live ──▶ waiting ──▶ connecting …
 *        any ──▶ paused ──▶ connecting      any ──▶ refused (for good)
 */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'paused' | 'refused'

interface ConnectionOptions {
  readonly url: string
  readonly onBatch: (batch: Batch) => void
  readonly onState: (state: LiveState) => void
  /** The first wait after a loss; it doubles up to three times as much. Default 500 ms. */
  readonly waitMs?: number
  /** Silence for this long means that the server is gone: it sends something every 15 s. Default 45 s. */
  readonly silenceMs?: number
  /** Default 250. */
  readonly batchMs?: number
}

export interface Connection {
  /** Closes the connection; what happens meanwhile is reported after `resume`. */
  pause(): void
  resume(): void
  close(): void
  /** When the server last said something, in ms since 1970; undefined until it has. */
  heardAt(): number | undefined
}

/**
 * Reads one event stream by fetch, since EventSource sends no header, and comes back where it was
 * whenever it breaks.
 */
export function openConnection(options: ConnectionOptions): Connection {
  const { onBatch, onState, waitMs = 500, batchMs } = options
  const batches = createBatches({ onBatch, ...(batchMs !== undefined && { everyMs: batchMs }) })
  let lastId: string | undefined
  let stop: AbortController | undefined
  let isOver = false
  let heardAt: number | undefined

  const follow = async (signal: AbortSignal) => {
    let failures = 0
    while (!signal.aborted) {
      onState('connecting')
      const end = await readOnce(options, { signal, lastId, onOpen, onEvents, onHeard })
      if (signal.aborted) return
      if (end.kind === 'refused') return refuse()
      if (end.kind === 'forgotten') lookFromNow()
      failures = end.kind === 'ended' ? 0 : failures + 1
      onState('waiting')
      await delay(Math.max(end.afterMs ?? 0, backOff(waitMs, failures)), signal)
    }
  }
  const onOpen = () => {
    // Without a position earlier events are unknown.
    if (lastId === undefined) batches.lookAgain()
    onState('live')
  }
  const onEvents: Reading['onEvents'] = (events) => {
    lastId = events.findLast(({ id }) => id !== undefined)?.id ?? lastId
    batches.add(events)
  }
  const onHeard = () => void (heardAt = Date.now())
  const lookFromNow = () => (lastId = undefined)
  const refuse = () => {
    isOver = true
    onState('refused')
  }
  const resume = () => {
    if (isOver || stop !== undefined) return
    stop = new AbortController()
    void follow(stop.signal)
  }
  const letGo = () => {
    stop?.abort()
    stop = undefined
  }
  resume()
  return {
    pause() {
      if (isOver || stop === undefined) return
      letGo()
      onState('paused')
    },
    resume,
    heardAt: () => heardAt,
    close() {
      isOver = true
      letGo()
      batches.close()
    },
  }
}

interface Reading {
  readonly signal: AbortSignal
  readonly lastId: string | undefined
  readonly onOpen: () => void
  readonly onHeard: () => void
  readonly onEvents: (events: readonly ServerEvent[]) => void
}

interface End {
  /** `forgotten`: the server does not know our position any more. */
  readonly kind: 'ended' | 'failed' | 'refused' | 'forgotten'
  readonly afterMs?: number
}

async function readOnce(options: ConnectionOptions, reading: Reading): Promise<End> {
  const { silenceMs = 45_000 } = options
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  const restartTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  try {
    const response = await fetch(options.url, {
      headers: {
        accept: 'text/event-stream',
        ...(reading.lastId !== undefined && { 'last-event-id': reading.lastId }),
      },
      cache: 'no-store',
      signal: AbortSignal.any([reading.signal, silence.signal]),
    })
    if (!response.ok || response.body === null) return endOf(response)
    reading.onHeard()
    reading.onOpen()
    const parse = createEventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return { kind: 'ended' }
      restartTimer()
      reading.onHeard()
      reading.onEvents(parse(value))
    }
  } catch {
    return { kind: 'failed' }
  } finally {
    clearTimeout(timer)
    // A stream that parsed wrongly is still open.
    silence.abort()
  }
}

function endOf({ status, headers }: Response): End {
  if (status === 401 || status === 403) return { kind: 'refused' }
  if (status === 400) return { kind: 'forgotten' }
  const seconds = Number(headers.get('retry-after') ?? 0)
  return { kind: 'failed', afterMs: Number.isFinite(seconds) ? seconds * 1_000 : 0 }
}

/**
 * Short, so that a page is right again two seconds after the server is back; spread out, so that it
 * does not get all its pages back in one instant.
 */
function backOff(waitMs: number, failures: number): number {
  const most = waitMs * Math.min(2 ** failures, 3)
  return most / 2 + (Math.random() * most) / 2
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** What came since the last one. */
export interface Batch<Event = ServerEvent> {
  readonly events: readonly Event[]
  /** Something may be missing: data on screen must be read again. */
  readonly lookAgain: boolean
}

interface BatchOptions {
  readonly onBatch: (batch: Batch) => void
  /** Default 250. */
  readonly everyMs?: number
  /** Events kept for one batch; the oldest of more are dropped. Default 2,000. */
  readonly most?: number
}

/** Collects events and passes them on at a pace that a page can draw. */
export function createBatches({ onBatch, everyMs = 250, most = 2_000 }: BatchOptions) {
  let events: ServerEvent[] = []
  let isIncomplete = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const pass = () => {
    timer = undefined
    const batch = { events, lookAgain: isIncomplete }
    events = []
    isIncomplete = false
    onBatch(batch)
  }
  const arm = () => (timer ??= setTimeout(pass, everyMs))
  return {
    add(more: readonly ServerEvent[]) {
      if (more.length === 0) return
      events = events.concat(more)
      if (events.length > most) {
        events = events.slice(-most)
        isIncomplete = true
      }
      arm()
    },
    lookAgain() {
      isIncomplete = true
      arm()
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

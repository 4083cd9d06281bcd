import type { Batch } from './batches.ts'
import { openConnection, type Connection, type LiveState } from './connection.ts'
import { liveEventIn, type LiveEvent } from './live-event.ts'

/** What came in the last moments. */
export interface LiveBatch {
  readonly events: readonly LiveEvent[]
  /** Something may be missing: ask again for what is shown. */
  readonly lookAgain: boolean
}

/** The one stream of this page, for all who follow it. */
export interface Live {
  state(): LiveState
  /** When the server last said something, in ms since 1970. */
  heardAt(): number | undefined
  onState(listener: () => void): () => void
  follow(listener: (batch: LiveBatch) => void): () => void
  /** The tab is hidden: the connection is closed, and at the return all listeners are called. */
  show(isVisible: boolean): void
  close(): void
}

export interface LiveOptions {
  readonly token: () => string | undefined
  /** Default `/api/v1/stream`. */
  readonly url?: string
}

export function openLive({ token, url = '/api/v1/stream' }: LiveOptions): Live {
  const states = new Set<() => void>()
  const followers = new Set<(batch: LiveBatch) => void>()
  let state: LiveState = 'connecting'
  const pass = ({ events, lookAgain }: Batch) => {
    const read = events.flatMap((event) => liveEventIn(event) ?? [])
    const missed = read.some((event) => event.kind === 'announcement' && event.topic === '*')
    const batch = { events: read, lookAgain: lookAgain || missed }
    if (batch.events.length === 0 && !batch.lookAgain) return
    for (const follower of followers) follower(batch)
  }
  const connection: Connection = openConnection({
    url,
    token: () => token() ?? '',
    onBatch: pass,
    onState(next) {
      state = next
      for (const listener of states) listener()
    },
  })
  return {
    state: () => state,
    heardAt: () => connection.heardAt(),
    onState: (listener) => addListener(states, listener),
    follow: (listener) => addListener(followers, listener),
    show: (isVisible) => (isVisible ? connection.resume() : connection.pause()),
    close: () => connection.close(),
  }
}

function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

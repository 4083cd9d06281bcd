import { useDocumentVisibility } from '@mantine/hooks'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { basePath } from '../settings/settings.tsx'
import { type Batch, type Connection, type LiveState, openConnection } from './connection.ts'
import { type LiveEvent, liveEventIn } from './live-event.ts'
import { useQueryClient } from '@tanstack/react-query'

const Context = createContext<Live | undefined>(undefined)

/** One connection for all pages, for as long as a user is logged in and the tab is visible. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [live, setLive] = useState<Live>()
  const visibility = useDocumentVisibility()
  useEffect(() => {
    const opened = openLive(`${basePath()}/api/v1/stream`)
    setLive(opened)
    return () => opened.close()
  }, [])
  useEffect(() => live?.show(visibility === 'visible'), [live, visibility])
  return <Context value={live}>{children}</Context>
}

/** Undefined until the connection is made, which pages need not care about. */
export function useLive(): Live | undefined {
  return useContext(Context)
}

export function useLiveState(): LiveState {
  const live = useLive()
  return useSyncExternalStore(
    live?.onState ?? (() => () => undefined),
    live?.state ?? (() => 'connecting' as const),
  )
}

/** What came in the last moments. */
export type LiveBatch = Batch<LiveEvent>

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

function openLive(url: string): Live {
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

/** How often the parts of a page that are on no stream are read again. */
const intervals = new Set<{ readonly everyMs: number }>()
const listeners = new Set<() => void>()

function change(work: () => void): void {
  work()
  for (const listener of listeners) listener()
}

/** Says how often a part of the page is read again, as long as it is shown. */
export function useSayPolling(everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const mine = { everyMs }
    change(() => intervals.add(mine))
    return () => change(() => intervals.delete(mine))
  }, [everyMs])
}

/** The longest of those intervals; undefined where everything follows the stream. */
export function usePolling(): number | undefined {
  return useSyncExternalStore(
    (listener) => addListener(listeners, listener),
    () =>
      intervals.size === 0 ? undefined : Math.max(...[...intervals].map(({ everyMs }) => everyMs)),
  )
}

/** A connection that is back at once is no outage. */
const NOTICED_MS = 1_000

/**
 * Since when the server cannot be reached, in ms since 1970; undefined while it can. When it is back,
 * everything on screen is read again.
 */
export function useOutage(): number | undefined {
  const live = useLive()
  const state = useLiveState()
  const queries = useQueryClient()
  const [since, setSince] = useState<number>()
  const [wasLive, setWasLive] = useState(false)
  const isAway = wasLive && (state === 'waiting' || state === 'connecting')
  useEffect(() => {
    if (state === 'live') setWasLive(true)
  }, [state])
  useEffect(() => {
    if (!isAway) return undefined
    const timer = setTimeout(() => setSince(live?.heardAt() ?? Date.now()), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [isAway, live])
  useEffect(() => {
    if (state !== 'live' || since === undefined) return
    setSince(undefined)
    void queries.refetchQueries({ type: 'active' })
  }, [state, since, queries])
  return since
}

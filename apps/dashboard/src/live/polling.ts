import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLive, useLiveState } from './live-context.tsx'

/** How often the parts of a page that are on no stream are read anew. */
const intervals = new Set<{ readonly everyMs: number }>()
const listeners = new Set<() => void>()

function change(work: () => void): void {
  work()
  for (const listener of listeners) listener()
}

/** Says that a part of the page is read anew so often, as long as it is shown. */
export function useSayPolling(everyMs: number): void {
  useEffect(() => {
    const mine = { everyMs }
    change(() => intervals.add(mine))
    return () => change(() => intervals.delete(mine))
  }, [everyMs])
}

/** The longest of those intervals; undefined where everything follows the stream. */
export function usePolling(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () =>
      intervals.size === 0 ? undefined : Math.max(...[...intervals].map(({ everyMs }) => everyMs)),
  )
}

/** A connection that is made anew at once is no outage. */
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

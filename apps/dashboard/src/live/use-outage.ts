import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLive, useLiveState } from './live-context.tsx'

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

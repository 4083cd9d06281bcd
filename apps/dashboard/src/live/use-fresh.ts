import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { LiveEvent } from './live-event.ts'
import { createThrottle } from './throttle.ts'
import { useFollow } from './use-follow.ts'

/** A page that is being flooded asks at most so often. */
const EVERY_MS = 1_000

/** Asks again for what is shown when something happened that concerns it. */
export function useFresh(queryKey: QueryKey, concerns: (event: LiveEvent) => boolean): void {
  const queries = useQueryClient()
  const name = JSON.stringify(queryKey)
  const throttle = useMemo(
    () =>
      createThrottle(EVERY_MS, () => {
        void queries.invalidateQueries({ queryKey: JSON.parse(name) as QueryKey })
      }),
    [queries, name],
  )
  useEffect(() => throttle.close, [throttle])
  useFollow(({ events, lookAgain }) => {
    if (lookAgain || events.some(concerns)) throttle.call()
  })
}

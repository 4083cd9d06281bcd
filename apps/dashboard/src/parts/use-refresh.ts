import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSayPolling } from '../live/polling.ts'

/** Reads anew, so often, what is on no stream, as long as the page is looked at. */
export function useRefresh(queryKey: QueryKey, everyMs: number): void {
  const queries = useQueryClient()
  const name = JSON.stringify(queryKey)
  useSayPolling(everyMs)
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      void queries.invalidateQueries({ queryKey: JSON.parse(name) as QueryKey })
    }
    const timer = setInterval(look, everyMs)
    return () => clearInterval(timer)
  }, [queries, name, everyMs])
}

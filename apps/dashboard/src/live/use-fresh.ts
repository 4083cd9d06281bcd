import { hashKey, useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from './live-event.ts'
import { createRefreshQueue, type RefreshQueue } from './refresh-queue.ts'
import { useFollow } from './use-follow.ts'

/** Together with what a page polls this stays below one request a second. */
const PER_REQUEST_MS = 1_500

const queues = new WeakMap<QueryClient, RefreshQueue>()

/** One for all that a window shows. */
export function refreshQueueOf(client: QueryClient): RefreshQueue {
  const known = queues.get(client)
  if (known) return known
  const queue = createRefreshQueue({
    perRequestMs: PER_REQUEST_MS,
    run: (name) => {
      const queryKey = JSON.parse(name) as QueryKey
      const shown = client.getQueryCache().findAll({ queryKey, type: 'active' }).length
      void client.invalidateQueries({ queryKey })
      return shown
    },
  })
  queues.set(client, queue)
  return queue
}

/** Asks again for what is shown when something happened that concerns it. */
export function useFresh(queryKey: QueryKey, concerns: (event: LiveEvent) => boolean): void {
  const queries = useQueryClient()
  useFollow(({ events, lookAgain }) => {
    if (lookAgain || events.some(concerns)) refreshQueueOf(queries).add(hashKey(queryKey))
  })
}

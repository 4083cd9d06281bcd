import { useCallbackRef } from '@mantine/hooks'
import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type LiveBatch, useLive } from './live-context.tsx'
import type { LiveEvent } from './live-event.ts'

/** Together with what a page polls this stays below one request a second. */
const PER_REQUEST_MS = 1_500

const queues = new WeakMap<QueryClient, ReturnType<typeof createRefreshQueue>>()

/** One for all that a window shows. */
export function refreshQueueOf(client: QueryClient) {
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

/** What a system says of a topic, and of one thing if it is named. */
export const said = (topic: string, id?: string) => (event: LiveEvent) =>
  event.kind === 'announcement' && event.topic === topic && (id === undefined || event.id === id)

/** That messages of an outbox move. */
export const moved = (outbox: string) => (event: LiveEvent) =>
  event.kind === 'transition' && event.outbox === outbox

interface RefreshQueueOptions {
  /** Starts the requests of one thing; how many there were. */
  readonly run: (name: string) => number
  /** Time that one request takes from the window's share. */
  readonly perRequestMs: number
}

/**
 * Reads again what is on screen, one thing after the other. A window asks as often on a busy system as
 * on a quiet one: after so many requests it waits that many times as long. The first one after a rest
 * runs at once.
 */
export function createRefreshQueue({ run, perRequestMs }: RefreshQueueOptions) {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    timer = undefined
    const [name] = waiting
    if (name === undefined) return
    waiting.delete(name)
    const requests = run(name)
    // Nothing of it is on screen any more: the next one need not wait.
    if (requests === 0) next()
    else timer = setTimeout(next, requests * perRequestMs)
  }
  return {
    /** Asks for a refresh; a second one before it ran is the same one. */
    add(name: string) {
      waiting.add(name)
      if (timer === undefined) next()
    },
  }
}

/** Calls the listener with what happens, at most some times a second. */
export function useFollow(listener: (batch: LiveBatch) => void): void {
  const live = useLive()
  const latest = useCallbackRef(listener)
  useEffect(() => live?.follow(latest), [live, latest])
}

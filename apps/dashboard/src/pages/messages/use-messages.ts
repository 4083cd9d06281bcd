import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { refreshQueueOf, useFresh } from '../../live/use-fresh.ts'
import type { LiveEvent } from '../../live/live-event.ts'
import { useFollow } from '../../live/use-follow.ts'
import { useList, type List } from '../../parts/table/list.ts'
import { addressOf, type MessageRow } from './message.ts'
import { followRows } from './follow-rows.ts'

export interface MessageFilter {
  readonly outbox?: string
  readonly status?: string
  readonly tenant?: string
  readonly type?: string
  readonly key?: string
  readonly code?: string
  readonly error?: string
  readonly since?: string
  readonly until?: string
  readonly search?: string
}

const PAGE_SIZE = 100

function useReadMessages(filter: MessageFilter) {
  const api = useApi()
  return (cursor: string | undefined, signal: AbortSignal) =>
    dataOf(
      api.GET('/api/v1/messages', {
        params: { query: { ...filter, ...(cursor !== undefined && { cursor }), limit: PAGE_SIZE } },
        signal,
      }),
    )
}

/** Messages that match now: one that no longer does leaves the list. */
export function useMatchingMessages(filter: MessageFilter): List<MessageRow> {
  useFresh(['messages'], (event) => concerns(filter, event))
  return useList<MessageRow>({
    queryKey: ['messages', 'list', filter],
    read: useReadMessages(filter),
  })
}

function concerns({ outbox }: MessageFilter, event: LiveEvent): boolean {
  return event.kind !== 'announcement' && (outbox === undefined || event.outbox === outbox)
}

/**
 * Messages of one outbox, or of all of them together, newest first. What is shown stays where it is:
 * the newest page is read beside it when something happens, brings its rows up to date and says how
 * many are new.
 */
export function useMessages(filter: MessageFilter): List<MessageRow> {
  const client = useQueryClient()
  const read = useReadMessages(filter)
  const queryKey = ['message-list', filter]
  const newestKey = ['messages', 'newest', filter]
  const list = useList<MessageRow>({ queryKey, read, isLive: false })
  const newest = useQuery({
    queryKey: newestKey,
    queryFn: ({ signal }) => read(undefined, signal),
    enabled: !list.isLoading,
  })
  const [moved, setMoved] = useState(NONE)
  useFollow(({ events, lookAgain }) => {
    const mine = events.filter((event) => concerns(filter, event))
    if (lookAgain || mine.length > 0) refreshQueueOf(client).add(hashKey(['messages']))
    const shown = new Set(list.rows.map(addressOf))
    const moves = mine.flatMap((event) => {
      if (event.kind !== 'transition') return []
      const address = addressOf({ outbox: event.outbox, id: event.messageId })
      return shown.has(address) ? [[address, event.to] as const] : []
    })
    if (moves.length > 0) setMoved((before) => new Map([...before, ...moves]))
  })
  const { rows, newCount } = useMemo(() => {
    const present = list.rows.map((row) => {
      const state = moved.get(addressOf(row))
      return state === undefined || state === row.state ? row : { ...row, state }
    })
    return followRows(present, newest.data?.items ?? [], addressOf)
  }, [list.rows, newest.data, moved])
  const reload = () => {
    setMoved(NONE)
    void client.resetQueries({ queryKey: newestKey, exact: true })
    list.reload()
  }
  const isEmpty = list.rows.length === 0 && newCount > 0
  return {
    ...list,
    rows: isEmpty ? (newest.data?.items ?? []) : rows,
    newRows: newCount === 0 || isEmpty ? undefined : sayNew(newCount),
    reload,
  }
}

/** States that messages went into since their list was read. */
const NONE: ReadonlyMap<string, string> = new Map()

function sayNew(count: number): string {
  return count >= PAGE_SIZE ? `${PAGE_SIZE}+ new` : `${count} new`
}

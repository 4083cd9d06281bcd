import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { useList, type List } from '../../parts/table/list.ts'
import { mergePages } from './merge-pages.ts'
import type { MessageRow } from './message.ts'

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

const NONE = { items: [], nextCursor: null }

/** Messages of one outbox, or of all of them together, newest first. */
export function useMessages(filter: MessageFilter, outboxes: readonly string[]): List<MessageRow> {
  const api = useApi()
  const { outbox: only, ...query } = filter
  const readOne = async (outbox: string, cursor: string | undefined, signal: AbortSignal) => {
    const { items, nextCursor } = await dataOf(
      api.GET('/api/v1/outboxes/{name}/messages', {
        params: {
          path: { name: outbox },
          query: { ...query, ...(cursor && { cursor }), limit: only === undefined ? 50 : 100 },
        },
        signal,
      }),
    )
    return { items: items.map((row): MessageRow => ({ ...row, outbox })), nextCursor }
  }
  useFresh(['messages'], (event) => event.kind !== 'announcement' && concerns(only, event.outbox))
  return useList<MessageRow>({
    queryKey: ['messages', 'list', filter, only === undefined ? outboxes : []],
    read: (cursor, signal) =>
      only === undefined
        ? mergePages({
            outboxes,
            cursor,
            read: (name, place) =>
              readOne(name, place, signal).catch((error: unknown) => noneIfUnkept(error)),
          })
        : readOne(only, cursor, signal),
  })
}

function concerns(only: string | undefined, outbox: string | null): boolean {
  return only === undefined || outbox === only
}

/** An outbox that keeps no such field has no message that matches. */
function noneIfUnkept(error: unknown): typeof NONE {
  if (error instanceof ApiProblem && error.code === 'VALIDATION_FAILED') return NONE
  throw error
}

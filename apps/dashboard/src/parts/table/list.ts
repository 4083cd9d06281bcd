import {
  type InfiniteData,
  type QueryKey,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react'
import { dataOf, type ItemOf, type ReadPath, useApi } from '../../api/client.tsx'

/** Columns of a table, each with the field of the API that it is sorted by. */
export type Sorts<Field extends string = string> = Readonly<Record<string, Field>>

/** The `sort` of a request: `-` before the field for the highest first. */
export type SortWord<Field extends string = string> = Field | `-${Field}`

/** A page of any list of the API. */
export interface ListPage<Row> {
  readonly items: readonly Row[]
  readonly nextCursor: string | null
}

/** What has been read of a list so far. */
export interface List<Row> {
  readonly rows: readonly Row[]
  readonly isLoading: boolean
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** It has changed since, but is too long to be read again unasked. */
  readonly isOutdated: boolean
  /** Which columns the server sorts by, with its word for each. */
  readonly sorts?: Sorts
  /** What came since and is not shown, e.g. `23 new`; undefined if there is nothing. */
  readonly newRows?: string | undefined
  loadMore(): void
  /** Reads it again from its beginning. */
  reload(): void
}

/** Rows that are all there as a list; a list as it is. */
export function listOf<Row>(given: List<Row> | readonly Row[]): List<Row> {
  if ('rows' in given) return given
  const nothing = { hasMore: false, isLoading: false, isLoadingMore: false, isOutdated: false }
  const idle = { loadMore: () => undefined, reload: () => undefined }
  return { rows: given, error: null, ...nothing, ...idle }
}

/** More pages than these are read again only on request: each costs one. */
const MOST_LIVE_PAGES = 1

interface ListOptions<Row> {
  /** Its first word is the subject; the filter belongs into it. */
  readonly queryKey: QueryKey
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>
  /** Whether a short one is read again when it has changed. Default true. */
  readonly isLive?: boolean
}

/** Reads a list of the API page by page. */
export function useList<Row>({ queryKey, read, isLive = true }: ListOptions<Row>): List<Row> {
  const client = useQueryClient()
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: ({ state }) => pagesIn(state.data) <= (isLive ? MOST_LIVE_PAGES : 0),
  })
  const isInvalidated = useIsInvalidated(queryKey)
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const { hasNextPage, isFetching, fetchNextPage } = query
  return {
    rows,
    isLoading: query.isPending && query.error === null,
    error: query.data === undefined ? query.error : null,
    hasMore: hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isOutdated: isInvalidated && pagesIn(query.data) > MOST_LIVE_PAGES,
    loadMore: useCallback(() => {
      if (hasNextPage && !isFetching) void fetchNextPage()
    }, [hasNextPage, isFetching, fetchNextPage]),
    reload: () => void client.resetQueries({ queryKey, exact: true }),
  }
}

/** A list of the API that nothing narrows, by its route. */
export function useListOf<Path extends ReadPath>(
  path: Path,
  queryKey: QueryKey,
  { path: given, query }: { readonly path?: object; readonly query?: object } = {},
): List<ItemOf<Path>> {
  const api = useApi()
  return useList<ItemOf<Path>>({
    queryKey,
    read: (cursor, signal) => {
      const place = { limit: 100, ...query, ...(cursor !== undefined && { cursor }) }
      const params = { ...(given && { path: given }), query: place }
      return dataOf<ListPage<ItemOf<Path>>>(api.GET(path, { params, signal } as never))
    },
  })
}

function pagesIn(data: unknown): number {
  return (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0
}

/** A query that is not enabled does not tell its observers; the cache does. */
function useIsInvalidated(queryKey: QueryKey): boolean {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache])
  return useSyncExternalStore(
    subscribe,
    () => cache.find({ queryKey, exact: true })?.state.isInvalidated ?? false,
  )
}

/** Which rows are selected, by their ids. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  has(id: string): boolean
  toggle(id: string): void
  /** Selects these as well. */
  add(ids: Iterable<string>): void
  /** Selects these; all others are not. */
  replace(ids: Iterable<string>): void
  clear(): void
}

const NONE: ReadonlySet<string> = new Set()

export function useSelection(): Selection {
  const [ids, setIds] = useState(NONE)
  return useMemo(
    () => ({
      ids,
      has: (id) => ids.has(id),
      toggle: (id) => setIds((before) => toggle(before, id)),
      add: (more) => setIds((before) => new Set([...before, ...more])),
      replace: (chosen) => setIds(new Set(chosen)),
      clear: () => setIds(NONE),
    }),
    [ids],
  )
}

function toggle(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

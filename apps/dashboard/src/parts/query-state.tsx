import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { Loading } from './loading.tsx'

export interface QueryStateProps<Data> {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/** What was asked for, or why it is not there. Older data stays while it is asked for again. */
export function QueryState<Data>({ query, children }: QueryStateProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error === null) return <Loading />
  return <ErrorState error={error} onRetry={() => void refetch()} />
}

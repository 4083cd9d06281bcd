import { QueryClient } from '@tanstack/react-query'
import { ApiProblem, Unreachable } from './problem.ts'

/** What a page has asked for is fresh for so long; the live stream says when it is not. */
const FRESH_MS = 5_000

const MOST_RETRIES = 2

/**
 * A browser calls itself offline when the machine has lost a network; the server may be on the same machine.
 * By default what the user does would wait for the network then, without a word.
 */
const networkMode = 'always'

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A page left open for a day forgets what it no longer shows.
        gcTime: 60_000,
        retry: (failures, error) => failures < MOST_RETRIES && mayPass(error),
        networkMode,
      },
      mutations: { networkMode },
    },
  })
}

/** Asking again helps only where the trouble may be over by then. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.isPassing
  return error instanceof Unreachable
}

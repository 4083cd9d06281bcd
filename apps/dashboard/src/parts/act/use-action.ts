import { notifications } from '@mantine/notifications'
import {
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { useSayPolling } from '../../live/polling.ts'

export interface ActionOptions<Input, Result> {
  readonly run: (input: Input) => Promise<Result>
  /** What was done, as a sentence or more. */
  readonly done: (result: Result, input: Input) => ReactNode
  /** Whether that is what was wished for; otherwise it is shown until it is closed. Default always. */
  readonly isGood?: (result: Result) => boolean
  /** Subjects that it changed: their queries are read again. */
  readonly changes: readonly string[]
}

/** What belongs together may be more or less after anything that is done. */
const JOURNEY = 'journey'

/** An action of the user: shows its outcome and reads again what it changed. */
export function useAction<Input, Result>({
  run,
  done,
  isGood = () => true,
  changes,
}: ActionOptions<Input, Result>): UseMutationResult<Result, Error, Input> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSuccess: (result, input) => {
      const look = isGood(result) ? { color: 'green' } : { color: 'orange', autoClose: false }
      notifications.show({ message: done(result, input), ...look })
    },
    onError: (error) => {
      notifications.show({ title: 'Request failed', message: sentenceOf(error), color: 'red' })
    },
    // Also after a failure: another user may have changed it first.
    onSettled: async () => {
      await Promise.all(
        [...changes, JOURNEY].map((subject) => client.invalidateQueries({ queryKey: [subject] })),
      )
    },
  })
}

/** What went wrong, with the code to look up; fields that are wrong are named. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error)
  const fields = error.errors
    .map(({ field, reason }) => `${field} ${reason}`)
    // A problem with one field often says just that.
    .filter((sentence) => !error.message.includes(sentence))
  return [error.message, ...fields].join(' · ') + ` (${error.code})`
}

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

import { notifications } from '@mantine/notifications'
import {
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query'
import { type ComponentPropsWithoutRef, type ReactNode, useEffect } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { useSayPolling } from '../../live/live-context.tsx'
import { Button, type ButtonProps, Text, Tooltip } from '@mantine/core'
import { type Asked, useApi, useRead } from '../../api/client.tsx'

export interface ActionOptions<Input, Result> {
  readonly run: (input: Input) => Promise<Result> | Asked<Result>
  /** What was done, as a sentence or more. */
  readonly done: (result: Result, input: Input) => ReactNode
  /** Whether everything was done; if not, the notification stays until it is closed. Default always. */
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
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input) => {
      const asked = run(input)
      return typeof asked === 'function' ? asked(api) : asked
    },
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

/** Refreshes what is on no stream, this often, while the page is visible; undefined: not now. */
export function useRefresh(queryKey: QueryKey, everyMs: number | undefined): void {
  const queries = useQueryClient()
  const name = JSON.stringify(queryKey)
  useSayPolling(everyMs)
  useEffect(() => {
    if (everyMs === undefined) return undefined
    const look = () => {
      if (document.visibilityState !== 'visible') return
      void queries.invalidateQueries({ queryKey: JSON.parse(name) as QueryKey })
    }
    const timer = setInterval(look, everyMs)
    return () => clearInterval(timer)
  }, [queries, name, everyMs])
}

/** Shows a form to those who may use it, and the others why they may not. */
export function Permitted({ to, children }: { to: PermissionName; children: ReactNode }) {
  const { isAllowed, reason } = usePermission(to)
  if (isAllowed) return children
  return reason === undefined ? null : (
    <Text size="sm" c="dimmed">
      {reason}
    </Text>
  )
}

interface PermittedButtonProps
  extends ButtonProps, Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** What the server asks for. */
  readonly to: PermissionName
}

/** A button of something that not every role may do: for the others it is disabled and says why. */
export function PermittedButton({ to, ...button }: PermittedButtonProps) {
  const { isAllowed, reason } = usePermission(to)
  if (isAllowed) return <Button {...button} />
  // Not `disabled`: that would take the reason away from the pointer and the keyboard.
  const { onClick: _, disabled: __, type: ___, ...shown } = button
  return (
    <Tooltip
      label={reason}
      disabled={reason === undefined}
      multiline
      maw={320}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button {...shown} type="button" data-disabled aria-disabled aria-description={reason} />
    </Tooltip>
  )
}

export type PermissionName = 'read' | 'write' | 'approve' | 'administer' | 'operate' | 'operate-all'

interface Permission {
  readonly isAllowed: boolean
  /** Why not, as a sentence; undefined while it is allowed or not known. */
  readonly reason: string | undefined
}

/** Whether the user may do something, as the server says. The server refuses in any case. */
export function usePermission(name: PermissionName): Permission {
  const { data } = useRead('/api/v1/me', ['me'], { staleTime: Number.POSITIVE_INFINITY })
  const permission = data?.permissions.find((each) => each.name === name)
  if (data === undefined || permission === undefined) return { isAllowed: false, reason: undefined }
  if (permission.allowed) return { isAllowed: true, reason: undefined }
  if (data.portal !== null) return { isAllowed: false, reason: 'This page is for reading only.' }
  const roles = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(permission.roles)
  return {
    isAllowed: false,
    reason: `Your role, ${data.role}, may not ${permission.about}. Required: ${roles}.`,
  }
}

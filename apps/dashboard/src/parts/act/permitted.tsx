import { Button, type ButtonProps, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentPropsWithoutRef, ReactNode } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'

interface PermittedProps {
  readonly to: PermissionName
  readonly children: ReactNode
}

/** Shows a form to those who may use it, and the others why they may not. */
export function Permitted({ to, children }: PermittedProps) {
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
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/me', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const permission = data?.permissions.find((each) => each.name === name)
  if (data === undefined || permission === undefined) return { isAllowed: false, reason: undefined }
  if (permission.allowed) return { isAllowed: true, reason: undefined }
  if (data.portal !== null) return { isAllowed: false, reason: 'This page is for reading only.' }
  const roles = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(permission.roles)
  return {
    isAllowed: false,
    reason: `Your role, ${data.role}, may not ${permission.about}. It takes ${roles}.`,
  }
}

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { usePermission, type PermissionName } from '../session/use-permission.ts'

interface PermittedProps {
  readonly to: PermissionName
  readonly children: ReactNode
}

/** Shows an action to those who may do it, and the others why they may not. */
export function Permitted({ to, children }: PermittedProps) {
  const { isAllowed, reason } = usePermission(to)
  if (isAllowed) return children
  return reason === undefined ? null : (
    <Text size="sm" c="dimmed">
      {reason}
    </Text>
  )
}

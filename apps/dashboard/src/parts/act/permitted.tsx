import { Button, type ButtonProps, Text, Tooltip } from '@mantine/core'
import type { ComponentPropsWithoutRef, ReactNode } from 'react'
import { usePermission, type PermissionName } from '../session/use-permission.ts'

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

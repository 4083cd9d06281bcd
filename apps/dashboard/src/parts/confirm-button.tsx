import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Confirm, type ConfirmProps } from './confirm.tsx'

export interface ConfirmButtonProps extends Omit<ConfirmProps, 'isOpen' | 'onClose' | 'children'> {
  readonly label: ReactNode
  readonly button?: ButtonProps
  readonly children?: ReactNode
}

/** A button that asks first. */
export function ConfirmButton({ label, button, ...confirm }: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Confirm {...confirm} isOpen={isOpen} onClose={close} />
    </>
  )
}

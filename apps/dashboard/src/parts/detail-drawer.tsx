import { Drawer } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'

export interface DetailDrawerProps {
  /** From `useOpened`: a drawer has an address, so that it can be sent to a colleague. */
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly children: ReactNode
}

/** Everything about one row, beside its table; the whole screen on a phone. */
export function DetailDrawer({ isOpen, onClose, title, children }: DetailDrawerProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)')
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      position="right"
      size={isNarrow ? '100%' : 'min(720px, 60vw)'}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      {children}
    </Drawer>
  )
}

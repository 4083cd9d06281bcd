import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { ReplayForm } from './replay-form.tsx'
import type { ReplayFilter } from './replay.ts'

interface ReplayButtonProps {
  readonly label: string
  readonly outbox: string
  readonly filter: ReplayFilter
  readonly isDisabled?: boolean
  readonly onDone?: () => void
}

/** Sends dead messages again: counts them first, asks why and how fast, shows how far it is. */
export function ReplayButton({ label, outbox, filter, isDisabled, onDone }: ReplayButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  // What it was pressed for: rows that leave the list meanwhile must not change the question.
  const [asked, setAsked] = useState(filter)
  return (
    <>
      <Button
        disabled={isDisabled ?? false}
        onClick={() => {
          setAsked(filter)
          open()
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Replay dead letters of ${outbox}`}>
        <ReplayForm
          outbox={outbox}
          filter={asked}
          onClose={close}
          onDone={() => {
            close()
            onDone?.()
          }}
        />
      </Modal>
    </>
  )
}

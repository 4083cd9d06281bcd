import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { MatchForm } from './match-form.tsx'
import type { RecordDetails } from './run.ts'

interface MatchButtonProps {
  readonly runId: string
  readonly record: RecordDetails
}

/** Matches a record by hand. */
export function MatchButton({ runId, record }: MatchButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button onClick={open}>Match</Button>
      <Modal opened={isOpen} onClose={close} title={`Match line ${record.lineNumber}`}>
        <MatchForm runId={runId} record={record} onClose={close} />
      </Modal>
    </>
  )
}

import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SuggestForm } from './suggest-form.tsx'

/** Looks for what might belong together. */
export function SuggestButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Find suggestions
      </Button>
      <Modal opened={isOpen} onClose={close} title="Find suggestions">
        <SuggestForm id={id} onClose={close} />
      </Modal>
    </>
  )
}

import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type SubmitEvent, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useAction } from '../../parts/use-action.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { useClaims } from '../../session/session-context.tsx'
import type { Exception } from './run.ts'

interface AssignProps {
  readonly id: string
  readonly chosen: readonly Exception[]
  readonly onDone: () => void
}

/** Says who looks after the chosen exceptions, until when, and what is known so far. */
export function AssignButton({ id, chosen, onDone }: AssignProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const done = () => {
    close()
    onDone()
  }
  return (
    <>
      <PermittedButton to="write" variant="default" disabled={chosen.length === 0} onClick={open}>
        Assign {chosen.length === 0 ? '' : chosen.length}
      </PermittedButton>
      <Modal opened={isOpen} onClose={close} title="Assign exceptions">
        <AssignForm id={id} chosen={chosen} onDone={done} />
      </Modal>
    </>
  )
}

function AssignForm({ id, chosen, onDone }: AssignProps) {
  const api = useApi()
  const { sub } = useClaims()
  const [first] = chosen
  const [owner, setOwner] = useState(first?.assignment.owner ?? sub)
  const [dueOn, setDueOn] = useState(first?.assignment.dueOn ?? '')
  const [note, setNote] = useState(first?.assignment.note ?? '')
  const assign = useAction({
    run: async () => {
      const body = { owner: owner || null, dueOn: dueOn || null, note: note || null }
      for (const { record } of chosen) {
        const params = { path: { id, recordId: record.id } }
        await dataOf(
          api.PUT('/api/v1/reconciliations/{id}/records/{recordId}/assignment', { params, body }),
        )
      }
      return chosen.length
    },
    done: (count) => `${count} ${count === 1 ? 'exception' : 'exceptions'} assigned.`,
    changes: ['reconciliation'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    assign.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Owner"
          description="Empty: no user looks after it."
          value={owner}
          maxLength={255}
          onChange={(event) => setOwner(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Due"
          value={dueOn}
          onChange={(event) => setDueOn(event.currentTarget.value)}
        />
        <Textarea
          label="Note"
          value={note}
          maxLength={2_000}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={assign.isPending}>
            Assign
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'

/** Goes to a dossier by its id; a new one can be given consent there. */
export function DossierFinder() {
  const [id, setId] = useState('')
  const navigate = useNavigate()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (id.trim() === '') return
    void navigate({ to: '/outbound/dossiers/$id', params: { id: id.trim() } } as never)
  }
  return (
    <form onSubmit={submit}>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <TextInput
          label="Dossier"
          placeholder="Dossier id"
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
          pattern="[A-Za-z0-9._:\-]{1,100}"
          title="Letters, digits and . _ : -, up to 100"
          w={170}
        />
        <Button type="submit" variant="default">
          Open dossier
        </Button>
      </Group>
    </form>
  )
}

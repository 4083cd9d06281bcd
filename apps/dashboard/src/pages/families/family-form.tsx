import { Button, Group, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { useAction } from '../../parts/use-action.ts'
import { createFamily } from './family-api.ts'

/** Creates a family with the logged-in user as its owner. */
export function FamilyForm({ onCreated }: { onCreated: (id: string) => void }) {
  const api = useApi()
  const [name, setName] = useState('')
  const create = useAction({
    run: (wished: string) => createFamily(api, wished),
    done: (family) => `Family ${family.name} created; you are its owner.`,
    changes: ['families'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    create.mutate(name.trim(), { onSuccess: ({ id }) => onCreated(id) })
  }
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
          required
          w={{ base: '100%', xs: 280 }}
        />
        <Button type="submit" loading={create.isPending}>
          Create family
        </Button>
      </Group>
    </form>
  )
}

import { Button, Group, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { useAction } from '../../parts/use-action.ts'
import { createFamily } from './family-api.ts'

/** Founds a family with whoever is logged in as its owner. */
export function FamilyForm({ onFounded }: { onFounded: (id: string) => void }) {
  const api = useApi()
  const [name, setName] = useState('')
  const found = useAction({
    run: (wished: string) => createFamily(api, wished),
    done: (family) => `The family ${family.name} is founded, and you own it.`,
    changes: ['families'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    found.mutate(name.trim(), { onSuccess: ({ id }) => onFounded(id) })
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
        <Button type="submit" loading={found.isPending}>
          Found
        </Button>
      </Group>
    </form>
  )
}

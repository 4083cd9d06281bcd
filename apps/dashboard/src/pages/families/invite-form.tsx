import { Button, Group, Select, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { useAction } from '../../parts/use-action.ts'
import { invite, type FamilyRole, type NewInvitation } from './family-api.ts'

/** No invitations to own a family. */
const ROLES: readonly FamilyRole[] = ['MEMBER', 'ADMIN']

/** Invites one person by mail. */
export function InviteForm({ familyId }: { familyId: string }) {
  const api = useApi()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<FamilyRole>('MEMBER')
  const send = useAction({
    run: (invitation: NewInvitation) => invite(api, invitation),
    done: (invitation) => `${invitation.email} invited; a mail is queued.`,
    changes: ['families', 'mail'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send.mutate({ familyId, email: email.trim(), role }, { onSuccess: () => setEmail('') })
  }
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="E-mail address"
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          maxLength={254}
          required
          style={{ flex: '1 1 200px' }}
        />
        <Select
          label="Role"
          data={ROLES}
          value={role}
          onChange={(value) => value !== null && setRole(value)}
          allowDeselect={false}
          w={120}
        />
        <Button type="submit" loading={send.isPending}>
          Invite
        </Button>
      </Group>
    </form>
  )
}

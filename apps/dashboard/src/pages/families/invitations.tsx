import { Group, Table, Text } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { StateRole } from '../../states/role.ts'
import {
  resend,
  revoke,
  type FamilyDetails,
  type Invitation,
  type InvitationStatus,
} from './family-api.ts'

const STATUS_ROLES: Readonly<Record<InvitationStatus, StateRole>> = {
  PENDING: 'ready',
  ACCEPTED: 'confirmed',
  REVOKED: 'cancelled',
  EXPIRED: 'failing',
}

/** The words for the end of its 14 days. */
const EXPIRY: Readonly<Record<InvitationStatus, string>> = {
  PENDING: 'ends',
  ACCEPTED: 'would have ended',
  REVOKED: 'would have ended',
  EXPIRED: 'ended',
}

/** Who is invited, until when, and what can be done about it; the newest 200. */
export function Invitations({ invitations }: Pick<FamilyDetails, 'invitations'>) {
  if (invitations.length === 0) {
    return <Empty title="No invitations">Use the form to invite a member by mail.</Empty>
  }
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>To</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Actions</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {invitations.map((invitation) => (
          <Row key={invitation.id} invitation={invitation} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Row({ invitation }: { invitation: Invitation }) {
  const { email, role, status, expiresAt } = invitation
  const isOpen = status === 'PENDING' || status === 'EXPIRED'
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {email}
        <Text size="xs" c="dimmed" component="div">
          as {role}, {EXPIRY[status]} <Time at={expiresAt} clock="business" />
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadge state={status} role={STATUS_ROLES[status]} />
      </Table.Td>
      <Table.Td>{isOpen ? <Actions invitation={invitation} /> : '–'}</Table.Td>
    </Table.Tr>
  )
}

function Actions({ invitation: { id, email } }: { invitation: Invitation }) {
  const api = useApi()
  const again = useAction({
    run: () => resend(api, id),
    done: () => `A new mail to ${email} is queued.`,
    changes: ['families', 'mail'],
  })
  const end = useAction({
    run: () => revoke(api, id),
    done: () => `Invitation of ${email} revoked.`,
    changes: ['families'],
  })
  return (
    <Group gap={6}>
      <ConfirmButton
        label="Resend"
        title="Resend 1 mail?"
        verb="Resend 1"
        onConfirm={() => again.mutateAsync(undefined)}
      >
        {email} gets a new link, valid for 14 days. The old link stops working.
      </ConfirmButton>
      <ConfirmButton
        label="Revoke"
        title="Revoke 1 invitation?"
        verb="Revoke 1"
        tone="danger"
        onConfirm={() => end.mutateAsync(undefined)}
      >
        The link that {email} has stops working. The address can be invited again.
      </ConfirmButton>
    </Group>
  )
}

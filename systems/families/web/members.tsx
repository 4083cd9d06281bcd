import { Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ActButton, StateBadge, Time, useApi, useClaims } from '@posthorn/dashboard/kit'
import { changeMembers, type FamilyDetails, type Member } from './family-api.ts'

/** Who belongs to a family, since when, and what the user may do about it. */
export function Members({ family }: { family: FamilyDetails }) {
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {family.members.map((member) => (
        <Group
          component="li"
          key={member.userId}
          justify="space-between"
          gap="xs"
          aria-label={member.userId}
        >
          <div>
            <Group gap={6}>
              <Text component="span" style={{ overflowWrap: 'anywhere' }}>
                {member.userId}
              </Text>
              <StateBadge state={member.role} role={undefined} />
            </Group>
            <Text size="xs" c="dimmed" component="div">
              joined <Time at={member.joinedAt} clock="business" />
            </Text>
          </div>
          <Actions family={family} member={member} />
        </Group>
      ))}
    </Stack>
  )
}

interface ActionsProps {
  readonly family: FamilyDetails
  readonly member: Member
}

function Actions({ family, member }: ActionsProps) {
  const { sub } = useClaims()
  const { myRole } = family
  if (member.userId === sub) return myRole === 'OWNER' ? null : <Leave family={family} />
  const mayRemove = myRole === 'OWNER' || (myRole === 'ADMIN' && member.role === 'MEMBER')
  if (!mayRemove) return null
  return (
    <Group gap={6}>
      {myRole === 'OWNER' && <ChangeRole family={family} member={member} />}
      {myRole === 'OWNER' && <Transfer family={family} member={member} />}
      <Remove family={family} member={member} />
    </Group>
  )
}

function Leave({ family: { id, name } }: Pick<ActionsProps, 'family'>) {
  const api = useApi()
  const navigate = useNavigate()
  return (
    <ActButton
      label="Leave"
      title={`Leave the family ${name}?`}
      tone="danger"
      run={() => changeMembers(api, 'leaveFamily', { familyId: id })}
      done={() => `You left the family ${name}.`}
      changes={['families']}
      onDone={() => void navigate({ to: '/families' } as never)}
    >
      You no longer see the family. To come back, you have to be invited again.
    </ActButton>
  )
}

function ChangeRole({ family, member: { userId, role } }: ActionsProps) {
  const api = useApi()
  const next = role === 'ADMIN' ? 'MEMBER' : 'ADMIN'
  return (
    <ActButton
      label={next === 'ADMIN' ? 'Make admin' : 'Make member'}
      title={next === 'ADMIN' ? `Make ${userId} an admin?` : `Make ${userId} a member?`}
      run={() =>
        changeMembers(api, 'changeFamilyMemberRole', { familyId: family.id, userId, role: next })
      }
      done={() => `${userId} is ${next} now.`}
      changes={['families']}
    >
      {next === 'ADMIN'
        ? 'Admins invite others, revoke invitations and remove members.'
        : 'Members see the family; they invite and remove no one.'}
    </ActButton>
  )
}

function Transfer({ family, member: { userId } }: ActionsProps) {
  const api = useApi()
  return (
    <ActButton
      label="Make owner"
      title={`Make ${userId} the owner?`}
      verb="Transfer ownership"
      tone="danger"
      run={() => changeMembers(api, 'transferFamilyOwnership', { familyId: family.id, userId })}
      done={() => `${userId} owns the family now; you are an admin.`}
      changes={['families']}
    >
      A family has one owner. You become an admin; only {userId} can give ownership back.
    </ActButton>
  )
}

function Remove({ family, member: { userId } }: ActionsProps) {
  const api = useApi()
  return (
    <ActButton
      label="Remove"
      title={`Remove ${userId}?`}
      tone="danger"
      run={() => changeMembers(api, 'removeFamilyMember', { familyId: family.id, userId })}
      done={() => `${userId} removed from the family.`}
      changes={['families']}
    >
      {userId} no longer sees the family and can be invited again.
    </ActButton>
  )
}

import { Grid, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import {
  ActButton,
  ButtonLink,
  type Column,
  column,
  CopyId,
  DataTable,
  Empty,
  Form,
  moved,
  PageFrame,
  Panel,
  PermittedButton,
  QueryState,
  StateBadge,
  type StateRole,
  Time,
  useAction,
  useApi,
  useClaims,
  useDraft,
  useFresh,
  useUser,
} from '@posthorn/dashboard/kit'
import {
  changeRole,
  type FamilyDetails,
  type FamilyRole,
  type Invitation,
  type InvitationStatus,
  invite,
  leave,
  type Member,
  type NewInvitation,
  readFamily,
  removeMember,
  resend,
  revoke,
  transferOwnership,
} from './family-api.ts'
import { Mails } from './mails.tsx'

export function Family() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['families', 'one', id],
    queryFn: ({ signal }) => readFamily(api, id, signal),
  })
  useFresh(['families'], moved('families.events'))
  return (
    <QueryState query={query}>
      {(family) =>
        family === null ? (
          <Empty
            title="Family not found"
            action={
              <ButtonLink variant="default" to="/families" mt="xs">
                All families
              </ButtonLink>
            }
          >
            It does not exist, or you do not belong to it.
          </Empty>
        ) : (
          <FamilyView family={family} />
        )
      }
    </QueryState>
  )
}

function FamilyView({ family }: { family: FamilyDetails }) {
  const { production } = useUser()
  const isManager = family.myRole === 'OWNER' || family.myRole === 'ADMIN'
  const addresses = new Set(family.invitations.map(({ email }) => email.toLowerCase()))
  return (
    <PageFrame
      title={`Family ${family.name}`}
      lead={<CopyId id={family.id} />}
      actions={
        <ButtonLink variant="default" to="/families">
          All families
        </ButtonLink>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <Panel title="Members">
              <Members family={family} />
            </Panel>
            {isManager && (
              <Panel title="Invite by mail">
                <InviteForm familyId={family.id} />
              </Panel>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Panel title="Invitations">
            <DataTable
              label="Invitations"
              list={family.invitations}
              columns={isManager ? [...COLUMNS, ACTIONS] : COLUMNS}
              idOf={({ id }) => id}
              empty={
                <Empty title="No invitations">
                  {isManager
                    ? 'Use the form to invite a member by mail.'
                    : 'The owner and the admins of the family invite members.'}
                </Empty>
              }
              tall
            />
          </Panel>
        </Grid.Col>
      </Grid>
      {!production && (
        <Panel title="Invitation mails">
          <Mails isWanted={(mail) => addresses.has(mail.to.toLowerCase())} />
        </Panel>
      )}
    </PageFrame>
  )
}

const STATUS_ROLES: Readonly<Record<InvitationStatus, StateRole>> = {
  PENDING: 'ready',
  ACCEPTED: 'confirmed',
  DECLINED: 'cancelled',
  REVOKED: 'cancelled',
  EXPIRED: 'failing',
}

const EXPIRY: Readonly<Partial<Record<InvitationStatus, string>>> = {
  PENDING: 'ends',
  EXPIRED: 'ended',
}

const COLUMNS: readonly Column<Invitation>[] = [
  {
    id: 'to',
    title: 'To',
    width: 'minmax(140px, 2fr)',
    cell: ({ email, role, status, expiresAt }) => (
      <>
        {email}
        <Text size="xs" c="dimmed" component="div">
          as {role}, {EXPIRY[status] ?? 'would have ended'}{' '}
          <Time at={expiresAt} clock="business" ahead />
        </Text>
      </>
    ),
  },
  column.state('status', 'State', { roles: STATUS_ROLES, width: '112px' }),
]

const ACTIONS: Column<Invitation> = {
  id: 'actions',
  title: 'Actions',
  width: 'minmax(150px, 1fr)',
  cell: (invitation) =>
    invitation.status === 'PENDING' || invitation.status === 'EXPIRED' ? (
      <Actions invitation={invitation} />
    ) : (
      '–'
    ),
}

function Actions({ invitation: { id, email } }: { invitation: Invitation }) {
  return (
    <Group gap={6}>
      <ActButton
        label="Resend"
        title="Resend 1 mail?"
        verb="Resend 1"
        run={() => resend(id)}
        done={() => `A new mail to ${email} is queued.`}
        changes={['families', 'mail']}
      >
        {email} gets a new link, valid for 14 days. The old link stops working.
      </ActButton>
      <ActButton
        label="Revoke"
        title="Revoke 1 invitation?"
        verb="Revoke 1"
        tone="danger"
        run={() => revoke(id)}
        done={() => `Invitation of ${email} revoked.`}
        changes={['families']}
      >
        The link that {email} has stops working. The address can be invited again.
      </ActButton>
    </Group>
  )
}

/** Members cannot be invited to own a family. */
const ROLES: readonly FamilyRole[] = ['MEMBER', 'ADMIN']

function InviteForm({ familyId }: { familyId: string }) {
  const { draft, set, text, choice } = useDraft({ email: '', role: 'MEMBER' as FamilyRole })
  const send = useAction({
    run: (invitation: NewInvitation) => invite(invitation),
    done: ({ invitation }) => `${invitation.email} invited; a mail is queued.`,
    changes: ['families', 'mail'],
  })
  const submit = () =>
    send.mutate(
      { ...draft, familyId, email: draft.email.trim() },
      { onSuccess: () => set({ email: '' }) },
    )
  return (
    <Form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="E-mail address"
          {...text('email')}
          maxLength={254}
          required
          style={{ flex: '1 1 200px' }}
        />
        <Select label="Role" data={ROLES} {...choice('role')} w={120} />
        <PermittedButton to="write" type="submit" loading={send.isPending}>
          Invite
        </PermittedButton>
      </Group>
    </Form>
  )
}

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
          <MemberActions family={family} member={member} />
        </Group>
      ))}
    </Stack>
  )
}

interface ActionsProps {
  readonly family: FamilyDetails
  readonly member: Member
}

function MemberActions({ family, member }: ActionsProps) {
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
  const navigate = useNavigate()
  return (
    <ActButton
      label="Leave"
      title={`Leave the family ${name}?`}
      tone="danger"
      run={() => leave(id)}
      done={() => `You left the family ${name}.`}
      changes={['families']}
      onDone={() => void navigate({ to: '/families' } as never)}
    >
      You no longer see the family. To come back, you have to be invited again.
    </ActButton>
  )
}

function ChangeRole({ family, member: { userId, role } }: ActionsProps) {
  const next = role === 'ADMIN' ? 'MEMBER' : 'ADMIN'
  return (
    <ActButton
      label={next === 'ADMIN' ? 'Make admin' : 'Make member'}
      title={next === 'ADMIN' ? `Make ${userId} an admin?` : `Make ${userId} a member?`}
      run={() => changeRole({ familyId: family.id, userId, role: next })}
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
  return (
    <ActButton
      label="Make owner"
      title={`Make ${userId} the owner?`}
      verb="Transfer ownership"
      tone="danger"
      run={() => transferOwnership({ familyId: family.id, userId })}
      done={() => `${userId} owns the family now; you are an admin.`}
      changes={['families']}
    >
      A family has one owner. You become an admin; only {userId} can give ownership back.
    </ActButton>
  )
}

function Remove({ family, member: { userId } }: ActionsProps) {
  return (
    <ActButton
      label="Remove"
      title={`Remove ${userId}?`}
      tone="danger"
      run={() => removeMember({ familyId: family.id, userId })}
      done={() => `${userId} removed from the family.`}
      changes={['families']}
    >
      {userId} no longer sees the family and can be invited again.
    </ActButton>
  )
}

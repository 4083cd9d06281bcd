import { Grid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { useUser } from '../../shell/use-user.ts'
import { readFamily, type FamilyDetails } from './family-api.ts'
import { Invitations } from './invitations.tsx'
import { InviteForm } from './invite-form.tsx'
import { Mails } from './mails.tsx'
import { Members } from './members.tsx'
import { useFamilyChanges } from './use-family-changes.ts'

/** One family: who belongs to it, who is invited, and the mails about that. */
export function Family() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const api = useApi()
  const query = useQuery({
    queryKey: ['families', 'one', id],
    queryFn: ({ signal }) => readFamily(api, id, signal),
  })
  useFamilyChanges()
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
            It does not exist or belongs to another organisation.
          </Empty>
        ) : (
          <Shown family={family} />
        )
      }
    </QueryState>
  )
}

function Shown({ family }: { family: FamilyDetails }) {
  const { production } = useUser()
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
              <Members members={family.members} />
            </Panel>
            <Panel title="Invite by mail">
              <InviteForm familyId={family.id} />
            </Panel>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Panel title="Invitations">
            <Invitations invitations={family.invitations} />
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

import { Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ProfileForm } from './profile-form.tsx'
import type { Profile } from './rules.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Json } from '../../parts/json.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { Empty } from '../../parts/notice.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { PermittedButton } from '../../parts/permitted.tsx'

const NEW = 'new'

const COLUMNS: readonly Column<Profile>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name },
  { id: 'version', title: 'Version', width: '80px', cell: ({ version }) => version },
  {
    id: 'date',
    title: 'Date format',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.dateFormat,
  },
  {
    id: 'currency',
    title: 'Currency',
    width: '130px',
    narrow: 'hidden',
    cell: ({ rules }) => rules.currency ?? 'in a column',
  },
  {
    id: 'at',
    title: 'Changed',
    width: '132px',
    cell: ({ updatedAt }) => <Time at={updatedAt} clock="business" />,
  },
]

/** How banks write their files. */
export function Profiles() {
  const api = useApi()
  const opened = useOpened()
  const list = useList<Profile>({
    queryKey: ['reconciliation-profiles', 'list'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliation-profiles', {
          params: { query: { ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
  return (
    <PageFrame
      title="Profiles"
      lead="How each bank’s files are read. Changing the rules creates a new version; files keep theirs."
      actions={
        <>
          <ButtonLink variant="default" to="/reconciliation">
            Back to files
          </ButtonLink>
          <PermittedButton to="write" onClick={() => opened.open(NEW)}>
            New profile
          </PermittedButton>
        </>
      }
    >
      <DataTable
        label="Profiles"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty title="No profiles yet">
            Files with the columns external_transaction_id, amount, currency and date need none.
          </Empty>
        }
      />
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title={opened.id === NEW ? 'New profile' : 'Profile'}
      >
        {opened.id === NEW && <ProfileForm onDone={opened.close} />}
        {opened.id !== undefined && opened.id !== NEW && (
          <ProfileView id={opened.id} onGone={opened.close} />
        )}
      </DetailDrawer>
    </PageFrame>
  )
}

interface ProfileViewProps {
  readonly id: string
  readonly onGone: () => void
}

/** A profile to change or to remove, and what its rules were. */
function ProfileView({ id, onGone }: ProfileViewProps) {
  const api = useApi()
  const query = useQuery({
    // Not among all profiles: when it is removed, no query asks for it again.
    queryKey: ['reconciliation-profile', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/reconciliation-profiles/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(profile) => (
        <Stack gap="lg">
          <ProfileForm key={profile.version} profile={profile} />
          <Group>
            <RemoveButton profile={profile} onGone={onGone} />
          </Group>
          <Versions id={id} />
        </Stack>
      )}
    </QueryState>
  )
}

function RemoveButton({ profile, onGone }: { profile: Profile; onGone: () => void }) {
  const api = useApi()
  const remove = useAction({
    run: () =>
      dataOf(
        api.DELETE('/api/v1/reconciliation-profiles/{id}', {
          params: { path: { id: profile.id } },
        }),
      ),
    done: () => `${profile.name} is removed.`,
    changes: ['reconciliation-profiles'],
  })
  return (
    <ConfirmButton
      to="write"
      label="Remove profile"
      title={`Remove ${profile.name}?`}
      verb="Remove"
      tone="danger"
      onConfirm={async () => {
        await remove.mutateAsync(undefined)
        onGone()
      }}
    >
      New files cannot use it. Files that used it keep their version.
    </ConfirmButton>
  )
}

function Versions({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['reconciliation-profile', id, 'versions'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/reconciliation-profiles/{id}/versions', {
          params: { path: { id } },
          signal,
        }),
      ),
  })
  return (
    <section>
      <Title order={3} mb={6}>
        Versions
      </Title>
      <QueryState query={query}>
        {({ items }) => (
          <Timeline
            entries={items.map(({ version, createdBy, createdAt, rules }) => ({
              id: `${version}`,
              at: createdAt,
              what: `Version ${version}, by ${createdBy}`,
              details: <Json value={rules} label={`rules of version ${version}`} />,
            }))}
          />
        )}
      </QueryState>
    </section>
  )
}

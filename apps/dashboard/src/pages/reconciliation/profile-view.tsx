import { Group, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { useAction } from '../../parts/use-action.ts'
import { ProfileForm } from './profile-form.tsx'
import type { Profile } from './rules.ts'

interface ProfileViewProps {
  readonly id: string
  readonly onGone: () => void
}

/** A profile to change or to remove, and what its rules were. */
export function ProfileView({ id, onGone }: ProfileViewProps) {
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

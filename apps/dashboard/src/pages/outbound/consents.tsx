import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'

/** What a dossier allows on each channel, to grant and to withdraw. */
export function Consents({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'dossier', id, 'consents'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/dossiers/{id}/consents', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {({ items, channels }) => (
        <Stack gap="xs">
          {channels.map((channel) => {
            const said = items.find((consent) => consent.channel === channel)
            return (
              <Group key={channel} justify="space-between" gap="xs">
                <Group gap="sm">
                  <Text fw={600} w={80}>
                    {channel}
                  </Text>
                  <StateBadge
                    state={
                      said === undefined ? 'not asked' : said.granted ? 'granted' : 'withdrawn'
                    }
                    role={said === undefined ? undefined : said.granted ? 'confirmed' : 'cancelled'}
                  />
                  {said !== undefined && (
                    <Text size="sm" c="dimmed" component="div">
                      since <Time at={said.updatedAt} />
                    </Text>
                  )}
                </Group>
                <ConsentButton {...{ id, channel }} isGranted={said?.granted ?? false} />
              </Group>
            )
          })}
        </Stack>
      )}
    </QueryState>
  )
}

interface ConsentButtonProps {
  readonly id: string
  readonly channel: string
  readonly isGranted: boolean
}

function ConsentButton({ id, channel, isGranted }: ConsentButtonProps) {
  const api = useApi()
  const change = useAction({
    run: (granted: boolean) =>
      dataOf(
        api.PUT('/api/v1/dossiers/{id}/consents/{channel}', {
          params: { path: { id, channel } },
          body: { granted },
        }),
      ),
    done: ({ granted }) => `Consent for ${channel} is ${granted ? 'granted' : 'withdrawn'}.`,
    changes: ['outbound'],
  })
  if (!isGranted) {
    return (
      <ConfirmButton
        key="grant"
        label={`Grant ${channel}`}
        title={`Grant consent for ${channel}?`}
        verb="Grant"
        onConfirm={() => change.mutateAsync(true)}
      >
        From now on messages for {id} may be sent by {channel}. Grant only with the person’s
        consent.
      </ConfirmButton>
    )
  }
  return (
    <ConfirmButton
      key="withdraw"
      label={`Withdraw ${channel}`}
      title={`Withdraw consent for ${channel}?`}
      verb="Withdraw"
      tone="danger"
      onConfirm={() => change.mutateAsync(false)}
    >
      All messages for {id} that wait on {channel} are cancelled. Messages already at the provider
      cannot be recalled.
    </ConfirmButton>
  )
}

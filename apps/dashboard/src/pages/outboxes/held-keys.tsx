import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'
import { useAction } from '../../parts/use-action.ts'

/** Keys whose messages wait behind one of their own. */
export function HeldKeys({ name }: { name: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outboxes', name, 'keys'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outboxes/{name}/keys', { params: { path: { name } }, signal })),
  })
  const unblock = useAction({
    run: (key: string) =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/keys/{key}/unblock', { params: { path: { name, key } } }),
      ),
    done: (_, key) => `${key} continues without the dead message.`,
    changes: ['outboxes', 'overview'],
  })
  return (
    <Panel title="Waiting keys">
      <QueryState query={query}>
        {({ items }) => (
          <Stack gap={8}>
            {items.map(({ key, blocked, dueAt, heldBy, heldAt }) => (
              <Group key={key} justify="space-between" gap="xs">
                <Text size="sm" component="div">
                  <CopyId id={key} what="key" />{' '}
                  {blocked ? 'is blocked behind the dead message ' : 'waits behind '}
                  <CopyId id={heldBy} shown={18} what="message id" /> since <Time at={heldAt} />
                  {dueAt !== null && (
                    <>
                      ; tried again <Time at={dueAt} clock="business" />
                    </>
                  )}
                </Text>
                {blocked && (
                  <ConfirmButton
                    label="Unblock"
                    title={`Unblock ${key}?`}
                    verb="Unblock"
                    onConfirm={() => unblock.mutateAsync(key)}
                  >
                    Messages behind it are sent; the dead message stays dead and can be replayed
                    later, out of order.
                  </ConfirmButton>
                )}
              </Group>
            ))}
          </Stack>
        )}
      </QueryState>
    </Panel>
  )
}

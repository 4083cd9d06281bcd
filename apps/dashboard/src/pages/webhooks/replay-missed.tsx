import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { localOf, momentOf } from '../../parts/filter-moment.tsx'
import { useNow } from '../../parts/now.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { Endpoint } from './webhook.ts'

const DAY_MS = 86_400_000

/** Sends again what an endpoint missed in a time, counted first. */
export function ReplayMissed({ endpoint }: { endpoint: Endpoint }) {
  const api = useApi()
  const { business } = useNow()
  const [since, setSince] = useState(() => localOf(new Date(business - DAY_MS).toISOString()))
  const [until, setUntil] = useState('')
  const [count, setCount] = useState<number>()
  const ask = (dryRun: boolean) => {
    const end = momentOf(until)
    return dataOf(
      api.POST('/api/v1/webhook-endpoints/{id}/replay', {
        params: { path: { id: endpoint.id } },
        body: { since: momentOf(since) ?? '', ...(end !== undefined && { until: end }), dryRun },
      }),
    )
  }
  const counted = useAction({
    run: () => ask(true),
    done: ({ count: found }) => `${formatCount(found)} ${found === 1 ? 'was' : 'were'} missed.`,
    changes: [],
  })
  const replay = useAction({
    run: () => ask(false),
    done: ({ count: sent }) => `${formatCount(sent)} missed deliveries replayed.`,
    changes: ['webhooks'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    counted.mutate(undefined, { onSuccess: (found) => setCount(found.count) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          Replay missed deliveries
        </Text>
        <Text size="sm" c="dimmed">
          Deliveries that were abandoned, or skipped while it was disabled.
        </Text>
        <Group gap="xs" align="flex-end">
          <TextInput
            type="datetime-local"
            label="Created after"
            value={since}
            onChange={({ currentTarget }) => setSince(currentTarget.value)}
            required
          />
          <TextInput
            type="datetime-local"
            label="Created before"
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={counted.isPending}
            disabled={endpoint.status === 'disabled'}
          >
            Count
          </Button>
        </Group>
        {endpoint.status === 'disabled' && (
          <Text size="sm">The endpoint is disabled: enable it first.</Text>
        )}
      </Stack>
      <Confirm
        isOpen={count !== undefined && count > 0}
        onClose={() => setCount(undefined)}
        title={`Replay ${formatCount(count ?? 0)} missed ${count === 1 ? 'delivery' : 'deliveries'}?`}
        verb={`Replay ${formatCount(count ?? 0)}`}
        onConfirm={() => replay.mutateAsync(undefined)}
      >
        They keep their ids, so the endpoint can recognise duplicates.
      </Confirm>
    </form>
  )
}

import { Alert, Button, Group, NumberInput, Progress, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { sentenceOf, useAction } from '../../parts/use-action.ts'
import { replayInBatches, type ReplayFilter } from './replay.ts'

interface ReplayFormProps {
  readonly outbox: string
  readonly filter: ReplayFilter
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Counts first; what is then replayed is what was counted. */
export function ReplayForm(props: ReplayFormProps) {
  const { outbox: name, filter } = props
  const api = useApi()
  const counted = useQuery({
    // A subject of its own: what is counted must not change under a replay that is under way.
    queryKey: ['replay-count', name, filter],
    queryFn: () =>
      dataOf(
        api.POST('/api/v1/outboxes/{name}/replay', {
          params: { path: { name } },
          body: { filter, dryRun: true },
        }),
      ),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <QueryState query={counted}>
      {({ count }) =>
        count === 0 ? (
          <Text size="sm">Nothing left to replay.</Text>
        ) : (
          <Fields {...props} count={count} />
        )
      }
    </QueryState>
  )
}

function Fields({
  outbox: name,
  filter,
  count,
  onClose,
  onDone,
}: ReplayFormProps & { count: number }) {
  const api = useApi()
  const [total] = useState(count)
  const [reason, setReason] = useState('')
  const [rate, setRate] = useState<number | string>('')
  const [done, setDone] = useState(0)
  const perSecond = typeof rate === 'number' && rate > 0 ? rate : undefined
  const replay = useAction({
    run: () => {
      const once = async (limit: number) => {
        const body = { filter, reason: reason.trim(), limit, ...(perSecond && { perSecond }) }
        const params = { path: { name } }
        return (await dataOf(api.POST('/api/v1/outboxes/{name}/replay', { params, body }))).count
      }
      return replayInBatches({ count: total, perSecond }, once, setDone)
    },
    done: (replayed) =>
      `${formatCount(replayed)} ${replayed === 1 ? 'message is' : 'messages are'} sent again.`,
    changes: ['dead-letters', 'messages', 'outboxes', 'overview'],
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    replay.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          {formatCount(total)} {total === 1 ? 'message matches' : 'messages match'}. They keep their
          ids and start again at attempt zero. Fix the cause before replaying.
        </Text>
        <TextInput
          label="Reason"
          description="Recorded in the audit log."
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          required
          maxLength={500}
          data-autofocus
        />
        <NumberInput
          label="Messages per second"
          description={
            perSecond === undefined
              ? 'Leave empty to replay all at once.'
              : `It takes ${formatDuration((Math.min(total, 10_000) / perSecond) * 1_000)}; 10,000 at the most in one go.`
          }
          min={0.1}
          max={100_000}
          value={rate}
          onChange={setRate}
        />
        {replay.isPending && (
          <div role="status">
            <Progress value={(done / total) * 100} aria-label="Replayed" mb={4} />
            <Text size="xs">
              {formatCount(done)} of {formatCount(total)}
            </Text>
          </div>
        )}
        {replay.isError && (
          <Alert color="red" role="alert">
            {sentenceOf(replay.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={replay.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={replay.isPending}>
            Replay {formatCount(total)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

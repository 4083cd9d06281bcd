import { NumberInput, Progress, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, type BodyOf, dataOf, useApi } from '../../api/client.tsx'
import { countOf, formatCount, formatDuration } from '../../format/number.ts'
import { ActionForm, DialogButton, useDraft } from '../../parts/act/form.tsx'
import { useAction } from '../../parts/act/action.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'

type Replay = Answer<'/api/v1/outboxes/{name}/replays/{id}'>
type Order = BodyOf<'/api/v1/outboxes/{name}/replays'>
type ReplayFilter = NonNullable<Order['filter']>

interface ReplayButtonProps {
  readonly label: string
  readonly outbox: string
  readonly filter: ReplayFilter
  readonly isDisabled?: boolean
  readonly onDone?: () => void
}

/** How often the dialog asks how far the server is. */
const PROGRESS_EVERY_MS = 1_000

/** Replays dead messages: counts them first, asks why and how fast, shows the progress. */
export function ReplayButton({ label, outbox, filter, isDisabled, onDone }: ReplayButtonProps) {
  // Kept from the click: rows that leave the list meanwhile must not change the question.
  const [asked, setAsked] = useState(filter)
  return (
    <DialogButton
      to="operate"
      label={label}
      title={`Replay dead letters of ${outbox}`}
      disabled={isDisabled ?? false}
      onOpen={() => setAsked(filter)}
    >
      {(close) => <ReplayForm outbox={outbox} filter={asked} onClose={close} onDone={onDone} />}
    </DialogButton>
  )
}

interface ReplayFormProps {
  readonly outbox: string
  readonly filter: ReplayFilter
  readonly onClose: () => void
  readonly onDone: (() => void) | undefined
}

/** Counts first; what is then replayed is what was counted. */
function ReplayForm(props: ReplayFormProps) {
  const { outbox: name, filter } = props
  const api = useApi()
  const counted = useQuery({
    // Its own subject: what is counted must not change under a replay in progress.
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

function Fields({ outbox, filter, count, onClose, onDone }: ReplayFormProps & { count: number }) {
  const [total] = useState(count)
  const { draft, text, value } = useDraft({ reason: '', rate: '' as number | string })
  const { rate } = draft
  const perSecond = typeof rate === 'number' && rate > 0 ? rate : undefined
  const { replay, replayed } = useReplay(outbox, () => ({
    filter,
    reason: draft.reason.trim(),
    limit: total,
    ...(perSecond && { perSecond }),
  }))
  return (
    <ActionForm
      action={replay}
      onClose={onClose}
      onDone={onDone}
      leave="always"
      dismiss={replay.isPending ? 'Close' : 'Cancel'}
      verb={`Replay ${formatCount(total)}`}
    >
      <Text size="sm">
        {countOf(total, 'message matches', 'messages match')}. They keep their ids and start again
        at attempt zero. Fix the cause before replaying.
      </Text>
      <TextInput
        label="Reason"
        description="Recorded in the audit log."
        {...text('reason')}
        required
        maxLength={500}
        data-autofocus
      />
      <NumberInput
        label="Messages per second"
        description={
          perSecond === undefined
            ? 'Leave empty to replay all at once.'
            : `Takes ${formatDuration((total / perSecond) * 1_000)}.`
        }
        min={0.1}
        max={100_000}
        {...value('rate')}
      />
      {replay.isPending && (
        <div role="status">
          <Progress value={(replayed / total) * 100} aria-label="Replayed" mb={4} />
          <Text size="xs">
            {formatCount(replayed)} of {formatCount(total)}. The server continues if you close this
            dialog.
          </Text>
        </div>
      )}
    </ActionForm>
  )
}

/** Starts a replay, which the server does, and follows it to its end. */
function useReplay(name: string, order: () => Order) {
  const api = useApi()
  const [replayed, setReplayed] = useState(0)
  const replay = useAction({
    run: async () => {
      const params = { path: { name } }
      const body = order()
      let run = await dataOf(api.POST('/api/v1/outboxes/{name}/replays', { params, body }))
      const one = { params: { path: { name, id: run.id } } }
      while (run.state === 'running') {
        setReplayed(run.replayed)
        await new Promise((resolve) => setTimeout(resolve, PROGRESS_EVERY_MS))
        run = await dataOf(api.GET('/api/v1/outboxes/{name}/replays/{id}', one))
      }
      return run
    },
    done: outcomeOf,
    changes: ['dead-letters', 'messages', 'outboxes', 'overview'],
  })
  return { replay, replayed }
}

function outcomeOf({ state, replayed, wanted, diedAgain }: Replay): string {
  const count = `${countOf(replayed, 'message')} replayed`
  if (diedAgain > 0) return `${count}; ${formatCount(diedAgain)} died again: the cause persists.`
  return state === 'stopped' ? `${count} of ${formatCount(wanted)}: stopped.` : `${count}.`
}

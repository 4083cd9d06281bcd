import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  CodeNote,
  CopyId,
  Form,
  countOf,
  formatCount,
  formatDuration,
  formatShare,
  KeyValue,
  localOf,
  momentOf,
  PermittedButton,
  post,
  QueryState,
  Time,
  useAction,
  useDraft,
  useNow,
  useRead,
} from '@posthorn/dashboard/kit'
import { useState } from 'react'
import { EndpointActions } from './endpoint-actions.tsx'
import { sentenceOfRetry } from './endpoint-form.tsx'
import { type Endpoint, EndpointMap, EndpointState, type Health } from './webhook.tsx'
import { sentenceOfCondition } from './filter-editor.tsx'

interface EndpointDetailsProps {
  readonly id: string
  readonly health: Health | undefined
  readonly onGone: () => void
}

export function EndpointDetails({ id, health, onGone }: EndpointDetailsProps) {
  const query = useRead('/api/v1/webhook-endpoints/{id}', ['webhook-endpoint', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(endpoint) => (
        <Stack gap="md">
          <Group gap="xs">
            <EndpointActions endpoint={endpoint} onGone={onGone} />
          </Group>
          <Facts endpoint={endpoint} health={health} />
          <EndpointMap only={id} />
          {health?.lastFailure && <LastFailure failure={health.lastFailure} />}
          <ReplayMissed endpoint={endpoint} />
        </Stack>
      )}
    </QueryState>
  )
}

function Facts({ endpoint, health }: { endpoint: Endpoint; health: Health | undefined }) {
  const { id, url, eventTypes, ordered, status, disabledReason, disabledAt } = endpoint
  const { timeoutMs, ratePerSecond, publicKeys } = endpoint
  return (
    <KeyValue
      facts={{
        State: (
          <>
            <EndpointState endpoint={endpoint} health={health} />
            {health?.breakerOpen === true &&
              ' Most recent attempts failed: one attempt is let through every 30 seconds.'}
          </>
        ),
        Disabled:
          status === 'disabled' ? (
            <>
              {disabledReason} <Time at={disabledAt} clock="business" />
            </>
          ) : undefined,
        'Failing since':
          endpoint.failingSince === null ? undefined : (
            <>
              <Time at={endpoint.failingSince} clock="business" />: every attempt since then failed.
              The endpoint is disabled if this lasts for days.
            </>
          ),
        Address: <CopyId id={url} what="address" />,
        Id: <CopyId id={id} />,
        Events: eventTypes.join(', '),
        Filter:
          endpoint.filter === null
            ? undefined
            : endpoint.filter.conditions
                .map(sentenceOfCondition)
                .join(endpoint.filter.match === 'all' ? ' and ' : ' or '),
        Order: ordered ? 'events of one payment one after the other' : 'unordered',
        Retries: sentenceOfRetry(endpoint.retry),
        Timeout: timeoutMs === null ? undefined : formatDuration(timeoutMs),
        Rate: ratePerSecond === null ? undefined : `${ratePerSecond} requests a second`,
        Signature: endpoint.signing === 'hmac' ? 'shared secret' : 'asymmetric',
        'Public key':
          publicKeys.length === 0
            ? undefined
            : publicKeys.map((key) => <CopyId key={key} id={key} what="public key" />),
        'Last 7 days': health === undefined ? 'no deliveries' : countsOf(health),
        'Last delivered': <Time at={health?.lastDeliveredAt} clock="business" />,
        Deliveries: (
          <AnchorLink size="sm" to="/webhooks/deliveries" search={{ endpointId: id }}>
            All deliveries
          </AnchorLink>
        ),
      }}
    />
  )
}

const COUNTS = [
  ['delivered', 'delivered'],
  ['waiting', 'waiting'],
  ['failing', 'retrying'],
  ['abandoned', 'abandoned'],
  ['skipped', 'skipped'],
  ['filtered', 'filtered out'],
] as const

function countsOf(health: Health): string {
  const counts = COUNTS.filter(([name]) => health[name] > 0).map(
    ([name, word]) => `${formatCount(health[name])} ${word}`,
  )
  const { successRate } = health
  const share = successRate === null ? '' : ` (${formatShare(successRate)} of attempts)`
  return `${counts.join(', ')}${share}`
}

function LastFailure({ failure }: { failure: NonNullable<Health['lastFailure']> }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Last failure
      </Text>
      {failure.code !== null && <CodeNote code={failure.code} />}
      <AnchorLink to="/webhooks/deliveries" search={{ open: failure.deliveryId }} size="sm">
        Open delivery
      </AnchorLink>
    </Stack>
  )
}

const DAY_MS = 86_400_000

/** Counts the deliveries that an endpoint missed in a time, then replays them. */
function ReplayMissed({ endpoint }: { endpoint: Endpoint }) {
  const { business } = useNow()
  const { draft, text, check } = useDraft(() => ({
    since: localOf(new Date(business - DAY_MS).toISOString()),
    until: '',
    isWhole: false,
  }))
  const [count, setCount] = useState(0)
  const ask = (dryRun: boolean) => {
    const end = momentOf(draft.until)
    const since = momentOf(draft.since) ?? ''
    const request = {
      path: { id: endpoint.id },
      body: { since, ...(end !== undefined && { until: end }), dryRun },
    }
    return draft.isWhole
      ? post('/api/v1/webhook-endpoints/{id}/recover', request)
      : post('/api/v1/webhook-endpoints/{id}/replay', request)
  }
  const counted = useAction({
    run: () => ask(true),
    done: ({ count: found }) => `${countOf(found, 'delivery was', 'deliveries were')} missed.`,
    changes: [],
  })
  const submit = () => counted.mutate(undefined, { onSuccess: (found) => setCount(found.count) })
  return (
    <Form onSubmit={submit}>
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          Replay missed deliveries
        </Text>
        <Text size="sm" c="dimmed">
          Deliveries that were abandoned, or skipped while it was disabled.
        </Text>
        <Group gap="xs" align="flex-end">
          <TextInput type="datetime-local" label="Created after" {...text('since')} required />
          <TextInput type="datetime-local" label="Created before" {...text('until')} />
          <PermittedButton
            to="administer"
            type="submit"
            variant="default"
            loading={counted.isPending}
            disabled={endpoint.status === 'disabled'}
          >
            Count
          </PermittedButton>
        </Group>
        <Checkbox label="Also retry waiting deliveries now" {...check('isWhole')} />
        {endpoint.status === 'disabled' && (
          <Text size="sm">The endpoint is disabled: enable it first.</Text>
        )}
        {count > 0 && (
          <Group gap="xs">
            <ActButton
              to="administer"
              label={`Replay ${formatCount(count)}`}
              run={() => ask(false)}
              done={({ count: sent }) =>
                `${countOf(sent, 'missed delivery', 'missed deliveries')} replayed.`
              }
              changes={['webhooks']}
              onDone={() => setCount(0)}
            />
            <Text size="sm" c="dimmed">
              They keep their ids, so the endpoint can recognise duplicates.
            </Text>
          </Group>
        )}
      </Stack>
    </Form>
  )
}

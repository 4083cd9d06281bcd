import { Accordion, Alert, Code, Group, Stack, Text } from '@mantine/core'
import {
  AnchorLink,
  BulkButton,
  CodeNote,
  CopyId,
  formatDuration,
  Json,
  KeyValue,
  Part,
  post,
  QueryState,
  Related,
  StateBadge,
  Time,
  timeFact,
  useRead,
  withShortIds,
} from '@posthorn/dashboard/kit'
import {
  type Attempt,
  codeOf,
  type Delivery,
  DELIVERY_ROLES,
  type Endpoint,
  isFinished,
  shortUrl,
  useEndpoints,
} from './webhook.tsx'

export function DeliveryDetails({ id }: { id: string }) {
  const endpoints = useEndpoints()
  const query = useRead('/api/v1/webhook-deliveries/{id}', ['webhooks', 'deliveries', 'one', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(delivery) => {
        const endpoint = endpoints?.find((each) => each.id === delivery.endpointId)
        return (
          <Stack gap="md">
            <Next delivery={delivery} endpoint={endpoint} />
            <Facts delivery={delivery} endpoint={endpoint} />
            {delivery.errorCode !== null && delivery.status !== 'delivered' && (
              <Alert
                variant="default"
                title={delivery.error ?? 'Delivery failed'}
                style={{ overflowWrap: 'anywhere' }}
              >
                <CodeNote code={delivery.errorCode} />
              </Alert>
            )}
            <Part title="Attempts">
              <Attempts deliveryId={id} />
            </Part>
            <Related id={delivery.id} except={['webhook']} />
            <Part title="Payload">
              <Json value={delivery.payload} label="body" />
            </Part>
          </Stack>
        )
      }}
    </QueryState>
  )
}

interface PartProps {
  readonly delivery: Delivery
  readonly endpoint: Endpoint | undefined
}

function Next({ delivery, endpoint }: PartProps) {
  if (!isFinished(delivery)) {
    return (
      <Text size="sm" component="div">
        It is retried automatically <Time at={delivery.nextAttemptAt} clock="business" ahead />; it
        can be replayed once it is abandoned.
      </Text>
    )
  }
  if (endpoint === undefined) {
    return <Text size="sm">Its endpoint is deleted: it cannot be replayed.</Text>
  }
  if (endpoint.status === 'disabled') {
    return (
      <Text size="sm" component="div">
        Its endpoint is disabled: <EndpointLink endpoint={endpoint}>enable it</EndpointLink>, then
        replay.
      </Text>
    )
  }
  return (
    <Group gap="xs">
      <ReplaySelected deliveries={[delivery]} label="Replay" onDone={() => {}} />
      {delivery.status === 'abandoned' && (
        <Text size="sm" component="div">
          If the cause is the address,{' '}
          <EndpointLink endpoint={endpoint}>edit the endpoint</EndpointLink> first.
        </Text>
      )}
    </Group>
  )
}

function EndpointLink({ endpoint, children }: { endpoint: Endpoint; children: string }) {
  return (
    <AnchorLink size="sm" to="/webhooks" search={{ open: endpoint.id }}>
      {children}
    </AnchorLink>
  )
}

function Facts({ delivery, endpoint }: PartProps) {
  const { id, status, eventId, eventType, createdAt, deliveredAt } = delivery
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={DELIVERY_ROLES[status]} />,
        Event: eventType,
        Endpoint:
          endpoint === undefined ? (
            'deleted'
          ) : (
            <EndpointLink endpoint={endpoint}>{shortUrl(endpoint.url)}</EndpointLink>
          ),
        Id: <CopyId id={id} what="webhook-id" />,
        'Event id': <CopyId id={eventId} what="event id" />,
        Created: <Time at={createdAt} />,
        Delivered: timeFact(deliveredAt),
      }}
    />
  )
}

/** Requests and answers, newest first. */
function Attempts({ deliveryId: id }: { deliveryId: string }) {
  const query = useRead(
    '/api/v1/webhook-deliveries/{id}/attempts',
    ['webhooks', 'deliveries', 'attempts', id],
    { params: { path: { id }, query: { limit: 50 } } },
  )
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            No attempts: nothing was sent yet, or the retention period has passed.
          </Text>
        ) : (
          <Accordion key={items[0]?.id} variant="contained" defaultValue={items[0]?.id ?? null}>
            {items.map((attempt) => (
              <Accordion.Item key={attempt.id} value={attempt.id}>
                <Accordion.Control>
                  <Heading attempt={attempt} />
                </Accordion.Control>
                <Accordion.Panel>
                  <Exchange attempt={attempt} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </QueryState>
  )
}

function Heading({ attempt }: { attempt: Attempt }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">
        Attempt {attempt.attempt}: {outcomeOf(attempt)}
      </Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {attempt.durationMs === null ? '' : `${formatDuration(attempt.durationMs)} · `}
        {/* Inside a button nothing else can be pressed. */}
        <time dateTime={attempt.startedAt}>{new Date(attempt.startedAt).toLocaleTimeString()}</time>
      </Text>
    </Group>
  )
}

function outcomeOf({ response, errorClass }: Attempt): string {
  if (response !== null) return `answered ${response.status}`
  return `no answer (${errorClass ?? 'unknown'})`
}

function Exchange({ attempt: { request, response, error, errorClass } }: { attempt: Attempt }) {
  return (
    <Stack gap="sm">
      {errorClass !== null && <CodeNote code={codeOf(errorClass)} />}
      {error !== null && response === null && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
      {response !== null && (
        <>
          <Text size="sm" fw={600}>
            Answer
          </Text>
          <AnswerBody response={response} />
          <Json value={response.headers} label="answer headers" />
        </>
      )}
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {request.method} {request.url ?? ''}
      </Text>
      <Json value={{ headers: request.headers, body: request.body }} label="request" />
    </Stack>
  )
}

/** The body of an answer, always as text. */
function AnswerBody({ response }: { response: NonNullable<Attempt['response']> }) {
  const { body, encoding, truncated } = response
  if (body === '') {
    return (
      <Text size="sm" c="dimmed">
        No body.
      </Text>
    )
  }
  return (
    <div>
      <Code
        block
        mah={240}
        tabIndex={0}
        role="region"
        aria-label="answer body"
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {body}
      </Code>
      {(truncated || encoding !== 'utf8') && (
        <Text size="xs" c="dimmed">
          {encoding !== 'utf8' && `Shown as ${encoding}: it is not text. `}
          {truncated && 'Truncated.'}
        </Text>
      )}
    </div>
  )
}

interface ReplaySelectedProps {
  /** Those that are finished. */
  readonly deliveries: readonly Delivery[]
  /** Default: says how many are selected. */
  readonly label?: string
  readonly onDone: () => void
}

export function ReplaySelected({ deliveries, label, onDone }: ReplaySelectedProps) {
  return (
    <BulkButton
      to="administer"
      rows={deliveries}
      label={label}
      verb="Replay"
      past="replayed"
      nouns={['delivery', 'deliveries']}
      changes={['webhooks']}
      nameOf={({ eventType, id }) => `${eventType} ${withShortIds(id)}`}
      onDone={onDone}
      run={({ id }) => post('/api/v1/webhook-deliveries/{id}/replay', { path: { id } })}
    >
      Delivered events arrive a second time; the endpoint recognises them by webhook-id. Deliveries
      in progress are left out.
    </BulkButton>
  )
}

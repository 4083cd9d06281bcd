import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  type Column,
  column,
  CopyId,
  dataOf,
  Empty,
  field,
  FilteredTable,
  idFact,
  type ItemOf,
  KeyValue,
  Part,
  post,
  QueryState,
  PageFrame,
  StateBadge,
  type StateRole,
  Time,
  useApi,
  useFilteredList,
  useRead,
  useRefresh,
} from '@posthorn/dashboard/kit'

export type GatewayEvent = ItemOf<'/api/v1/webhook-events'>

/** The role of a message in the same state. */
const EVENT_ROLES: Readonly<Record<GatewayEvent['status'], StateRole>> = {
  applied: 'confirmed',
  unchanged: 'sent',
  parked: 'ready',
  forbidden: 'dead',
  mismatch: 'dead',
  kept: 'cancelled',
  unknown_payment: 'retry',
}

const EVENT_MEANINGS: Readonly<Record<GatewayEvent['status'], string>> = {
  applied: 'Applied. The merchant’s endpoints were notified.',
  unchanged: 'No change: it was known before.',
  parked: 'Waiting: checked again with each event of its payment.',
  forbidden: 'It contradicts what came first. Nothing was changed, and an alert was raised.',
  mismatch:
    'Its amount, currency or reference is not the payment’s. Nothing was changed, and an alert was raised.',
  kept: 'Its type changes nothing here. It was passed on to the merchant’s endpoints.',
  unknown_payment: 'Its payment is not here. It is applied when that appears.',
}

const EVENT_STATES = Object.keys(EVENT_ROLES) as GatewayEvent['status'][]
const FILTER = {
  status: field.choice('State', EVENT_STATES),
  type: field.text('Event type'),
  paymentId: field.text('Payment id'),
  since: field.moment('Received after', { rare: true }),
  until: field.moment('Received before', { rare: true }),
}
/** The event stream does not announce gateway events. */
const EVERY_MS = 5_000

/** A link to the payment of a row. */
export const paymentColumn: Column<{ readonly paymentId: string | null }> = {
  id: 'payment',
  title: 'Payment',
  width: '130px',
  cell: ({ paymentId: id }) =>
    id === null ? (
      '–'
    ) : (
      <AnchorLink size="sm" to="/payments" search={{ open: id }}>
        …{id.slice(-12)}
      </AnchorLink>
    ),
}

const COLUMNS: readonly Column<GatewayEvent>[] = [
  column.state('status', 'State', { roles: EVENT_ROLES, width: '150px' }),
  column.text('type', 'Event', { width: 'minmax(0, 1fr)' }),
  { ...paymentColumn, narrow: 'hidden' },
  column.text('reason', 'Reason', { width: 'minmax(0, 2fr)' }),
  column.text('source', 'Source', { width: '90px', narrow: 'hidden' }),
  column.time('receivedAt', 'Received', { id: 'received', clock: 'business', width: '132px' }),
]

export function Events() {
  const api = useApi()
  const page = useFilteredList({
    queryKey: ['payments', 'events', 'list'],
    fields: FILTER,
    columns: COLUMNS,
    name: 'payment-events',
    sorts: { received: 'receivedAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-events', { params: { query }, signal })),
  })
  useRefresh(['payments', 'events'], EVERY_MS)
  return (
    <PageFrame lead="Events from the payment gateway, and what each changed.">
      <FilteredTable
        {...page}
        label="Gateway events"
        empty={
          <Empty title="No events yet">
            The gateway sends an event for each charge, refund and dispute.
          </Empty>
        }
        drawer="Gateway event"
        renderDetails={(id) => <EventDetails id={id} />}
      />
    </PageFrame>
  )
}

/** A gateway event as it arrived, with the decision and its reason. */
function EventDetails({ id }: { id: string }) {
  const query = useRead('/api/v1/webhook-events/{id}', ['payments', 'events', 'one', id], {
    params: { path: { id } },
  })
  return (
    <QueryState query={query}>
      {(event) => (
        <Stack gap="md">
          <Reprocess event={event} />
          <Alert variant="default" title={event.reason ?? EVENT_MEANINGS[event.status]}>
            {event.reason !== null && EVENT_MEANINGS[event.status]}
          </Alert>
          <Facts event={event} />
          <Part title="Raw event">
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {event.body}
            </Code>
          </Part>
        </Stack>
      )}
    </QueryState>
  )
}

function Reprocess({ event: { id, status } }: { event: GatewayEvent }) {
  if (status === 'applied') return null
  return (
    <Group gap="xs">
      <ActButton
        to="administer"
        label="Reprocess"
        run={() => post('/api/v1/webhook-events/{id}/reprocess', { path: { id } })}
        done={(answer) => `Decided again: ${answer.status}.`}
        changes={['payments']}
      />
      <Text size="sm" c="dimmed">
        Evaluates the event again with current data.
      </Text>
    </Group>
  )
}

function Facts({ event }: { event: GatewayEvent }) {
  const { id, type, status, source, paymentId, gatewayRef, receivedAt, decidedAt } = event
  return (
    <KeyValue
      facts={{
        State: <StateBadge state={status} role={EVENT_ROLES[status]} />,
        Event: type,
        Payment:
          paymentId === null ? undefined : (
            <AnchorLink size="sm" to="/payments" search={{ open: paymentId }}>
              {paymentId}
            </AnchorLink>
          ),
        'Gateway reference': idFact(gatewayRef, { what: 'reference' }),
        Source: source === 'webhook' ? 'the gateway’s webhook' : 'a lookup at the gateway',
        Id: <CopyId id={id} what="event id" />,
        Received: <Time at={receivedAt} clock="business" />,
        Decided: <Time at={decidedAt} clock="business" />,
      }}
    />
  )
}

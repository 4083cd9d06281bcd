import { Alert, Code, Group, Stack, Text, Title } from '@mantine/core'
import {
  AnchorLink,
  type Column,
  CopyId,
  dataOf,
  DetailDrawer,
  Empty,
  FilteredTable,
  FilterMoment,
  FilterSelect,
  FilterText,
  KeyValue,
  moment,
  MoreFilters,
  neighboursOf,
  oneOf,
  PermittedButton,
  QueryState,
  SectionFrame,
  StateBadge,
  text,
  Time,
  useAction,
  useApi,
  useFilteredList,
  useOpened,
  useRefresh,
  useTable,
} from '@posthorn/dashboard/kit'
import { useQuery } from '@tanstack/react-query'
import { EVENT_MEANINGS, EVENT_ROLES, EVENT_STATES, type GatewayEvent } from './gateway-event.ts'

const FILTER = {
  status: oneOf(EVENT_STATES),
  type: text,
  paymentId: text,
  since: moment,
  until: moment,
}
const RARE = ['since', 'until'] as const
/** Events of the gateway are on no stream. */
const EVERY_MS = 5_000

const COLUMNS: readonly Column<GatewayEvent>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '150px',
    cell: ({ status }) => <StateBadge state={status} role={EVENT_ROLES[status]} />,
  },
  {
    id: 'type',
    title: 'Event',
    sortBy: ({ type }) => type,
    width: 'minmax(0, 1fr)',
    cell: ({ type }) => type,
  },
  {
    id: 'payment',
    title: 'Payment',
    width: '130px',
    narrow: 'hidden',
    cell: ({ paymentId }) =>
      paymentId === null ? (
        '–'
      ) : (
        <AnchorLink size="sm" to="/payments" search={{ open: paymentId }}>
          …{paymentId.slice(-12)}
        </AnchorLink>
      ),
  },
  {
    id: 'reason',
    title: 'Reason',
    sortBy: ({ reason }) => reason,
    width: 'minmax(0, 2fr)',
    cell: ({ reason }) => reason ?? '',
  },
  {
    id: 'source',
    title: 'Came by',
    sortBy: ({ source }) => source,
    width: '90px',
    narrow: 'hidden',
    cell: ({ source }) => source,
  },
  {
    id: 'received',
    title: 'Received',
    sortBy: ({ receivedAt }) => receivedAt,
    width: '132px',
    cell: ({ receivedAt }) => <Time at={receivedAt} clock="business" />,
  },
]

/** The gateway's events, and what became of them. */
export function Events() {
  const api = useApi()
  const opened = useOpened()
  const { filter, list } = useFilteredList({
    queryKey: ['payments', 'events', 'list'],
    fields: FILTER,
    name: 'payment-events',
    sorts: { received: 'receivedAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-events', { params: { query }, signal })),
  })
  const table = useTable({ name: 'payment-events', list, columns: COLUMNS })
  useRefresh(['payments', 'events'], EVERY_MS)
  return (
    <SectionFrame lead="Events of the payment gateway, as they came, and what was decided.">
      <FilteredTable
        filter={filter}
        label="Gateway events"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty title="No events yet">
            The gateway sends an event for each charge, refund and dispute.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={EVENT_STATES} />
        <FilterText filter={filter} name="type" label="Event type" />
        <FilterText filter={filter} name="paymentId" label="Payment id" />
        <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
          <FilterMoment filter={filter} name="since" label="Received after" />
          <FilterMoment filter={filter} name="until" label="Received before" />
        </MoreFilters>
      </FilteredTable>
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Gateway event"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <EventDetails key={opened.id} id={opened.id} />}
      </DetailDrawer>
    </SectionFrame>
  )
}

/** One event of the gateway: the bytes as they came, what was decided and why, and once more. */
function EventDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['payments', 'events', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/webhook-events/{id}', { params: { path: { id } }, signal })),
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
          <Title order={3}>As it came</Title>
          <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {event.body}
          </Code>
        </Stack>
      )}
    </QueryState>
  )
}

function Reprocess({ event }: { event: GatewayEvent }) {
  const api = useApi()
  const { id, status } = event
  const reprocess = useAction({
    run: () =>
      dataOf(api.POST('/api/v1/webhook-events/{id}/reprocess', { params: { path: { id } } })),
    done: (answer) => `Decided again: ${answer.status}.`,
    changes: ['payments'],
  })
  if (status === 'applied') return null
  return (
    <Group gap="xs">
      <PermittedButton
        to="administer"
        variant="default"
        loading={reprocess.isPending}
        onClick={() => reprocess.mutate(undefined)}
      >
        Reprocess
      </PermittedButton>
      <Text size="sm" c="dimmed">
        Decides again by what is known now.
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
        'Gateway reference':
          gatewayRef === null ? undefined : <CopyId id={gatewayRef} what="reference" />,
        'Came by': source === 'webhook' ? 'the gateway’s webhook' : 'a question to the gateway',
        Id: <CopyId id={id} what="event id" />,
        Received: <Time at={receivedAt} clock="business" />,
        Decided: <Time at={decidedAt} clock="business" />,
      }}
    />
  )
}

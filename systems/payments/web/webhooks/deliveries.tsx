import { Button } from '@mantine/core'
import {
  ButtonLink,
  type Column,
  dataOf,
  DetailDrawer,
  Empty,
  FilteredTable,
  FilterMoment,
  FilterSelect,
  FilterText,
  moment,
  MoreFilters,
  neighboursOf,
  oneOf,
  SavedViews,
  SectionFrame,
  StateBadge,
  text,
  Time,
  useApi,
  useFilteredList,
  useFresh,
  useOpened,
  useSelection,
  useTable,
} from '@posthorn/dashboard/kit'
import { useMemo } from 'react'
import { DeliveryDetails } from './delivery-details.tsx'
import { ReplaySelected } from './replay-selected.tsx'
import {
  type Delivery,
  DELIVERY_ROLES,
  DELIVERY_STATES,
  type Endpoint,
  isFinished,
  shortUrl,
  useEndpoints,
} from './webhook.ts'

const FILTER = {
  endpointId: text,
  status: oneOf(DELIVERY_STATES),
  eventType: text,
  eventId: text,
  since: moment,
  until: moment,
}
const RARE = ['eventId', 'since', 'until'] as const

/** What was or is to be delivered to endpoints. */
export function Deliveries() {
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const endpoints = useEndpoints().data
  const { filter, list } = useFilteredList({
    queryKey: ['webhooks', 'deliveries', 'list'],
    fields: FILTER,
    name: 'deliveries',
    sorts: { made: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-deliveries', { params: { query }, signal })),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  const columns = useMemo(() => deliveryColumns(endpoints), [endpoints])
  const table = useTable({ name: 'deliveries', list, columns })
  const chosen = list.rows.filter((row) => selection.has(row.id) && isFinished(row))
  return (
    <SectionFrame
      lead="Events sent to endpoints: attempted as the endpoint says, then abandoned."
      actions={<ReplaySelected deliveries={chosen} onDone={selection.clear} />}
    >
      <FilteredTable
        filter={filter}
        label="Deliveries"
        {...table}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty
            title="No deliveries yet"
            action={
              <ButtonLink mt="xs" variant="default" to="/webhooks">
                Open endpoints
              </ButtonLink>
            }
          >
            A delivery is created for every event an endpoint subscribes to. Ping an endpoint to see
            one.
          </Empty>
        }
      >
        <FilterSelect
          filter={filter}
          name="endpointId"
          label="Endpoint"
          options={(endpoints ?? []).map(({ id, url }) => ({ value: id, label: shortUrl(url) }))}
        />
        <FilterSelect filter={filter} name="status" label="State" options={DELIVERY_STATES} />
        <FilterText filter={filter} name="eventType" label="Event type" />
        <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
          <FilterText filter={filter} name="eventId" label="Event id" />
          <FilterMoment filter={filter} name="since" label="Created after" />
          <FilterMoment filter={filter} name="until" label="Created before" />
        </MoreFilters>
        {filter.values.status !== 'abandoned' && (
          <Button variant="default" onClick={() => filter.set({ status: 'abandoned' })}>
            Only abandoned
          </Button>
        )}
        <SavedViews filter={filter} page="deliveries" layout={table.layout} />
      </FilteredTable>
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Delivery"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <DeliveryDetails key={opened.id} id={opened.id} />}
      </DetailDrawer>
    </SectionFrame>
  )
}

/** The columns of deliveries; an endpoint that is forgotten has no address any more. */
function deliveryColumns(endpoints: readonly Endpoint[] | undefined): readonly Column<Delivery>[] {
  const urls = new Map(endpoints?.map(({ id, url }) => [id, shortUrl(url)]))
  return [
    {
      id: 'state',
      title: 'State',
      sortBy: ({ status }) => status,
      width: '150px',
      cell: ({ status }) => <StateBadge state={status} role={DELIVERY_ROLES[status]} />,
    },
    {
      id: 'type',
      title: 'Event',
      sortBy: ({ eventType }) => eventType,
      cell: ({ eventType }) => eventType,
    },
    {
      id: 'endpoint',
      title: 'Endpoint',
      sortBy: ({ endpointId }) => urls.get(endpointId),
      width: 'minmax(0, 1.3fr)',
      narrow: 'hidden',
      cell: ({ endpointId }) => urls.get(endpointId) ?? 'forgotten',
    },
    {
      id: 'attempts',
      title: 'Failed',
      sortBy: ({ attempts }) => attempts,
      width: '60px',
      align: 'right',
      narrow: 'hidden',
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'next',
      title: 'Next attempt',
      sortBy: ({ nextAttemptAt }) => nextAttemptAt,
      width: '124px',
      narrow: 'hidden',
      cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} clock="business" ahead />,
    },
    {
      id: 'error',
      title: 'Error',
      sortBy: ({ error, errorCode }) => error ?? errorCode,
      width: 'minmax(0, 1.3fr)',
      cell: ({ error, errorCode }) => error ?? errorCode ?? '',
    },
    {
      id: 'made',
      title: 'Created',
      sortBy: ({ createdAt }) => createdAt,
      width: '104px',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}

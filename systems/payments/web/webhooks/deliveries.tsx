import { Button } from '@mantine/core'
import {
  ButtonLink,
  type Column,
  column,
  dataOf,
  DataTable,
  Empty,
  field,
  FilteredTable,
  SavedViews,
  PageFrame,
  useApi,
  useFilteredList,
  useFresh,
  useListOf,
  useSelection,
} from '@posthorn/dashboard/kit'
import { useMemo } from 'react'
import { DeliveryDetails, ReplaySelected } from './delivery-details.tsx'
import {
  type Delivery,
  DELIVERY_ROLES,
  DELIVERY_STATES,
  type Endpoint,
  isFinished,
  type Run,
  shortUrl,
  useEndpoints,
} from './webhook.tsx'

function fieldsFor(endpoints: readonly Endpoint[] = []) {
  const choices = endpoints.map(({ id, url }) => ({ value: id, label: shortUrl(url) }))
  return {
    endpointId: field.known('Endpoint', choices),
    status: field.choice('State', DELIVERY_STATES),
    eventType: field.text('Event type'),
    eventId: field.text('Event id', { rare: true }),
    since: field.moment('Created after', { rare: true }),
    until: field.moment('Created before', { rare: true }),
  }
}

export function Deliveries() {
  const api = useApi()
  const selection = useSelection()
  const endpoints = useEndpoints()
  const columns = useMemo(() => deliveryColumns(endpoints), [endpoints])
  const page = useFilteredList({
    queryKey: ['webhooks', 'deliveries', 'list'],
    fields: fieldsFor(endpoints),
    columns,
    name: 'deliveries',
    sorts: { made: 'createdAt' },
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-deliveries', { params: { query }, signal })),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  const chosen = page.list.rows.filter((row) => selection.has(row.id) && isFinished(row))
  return (
    <PageFrame
      lead="Events sent to endpoints: retried as each endpoint is set up, then abandoned."
      actions={<ReplaySelected deliveries={chosen} onDone={selection.clear} />}
    >
      <FilteredTable
        {...page}
        label="Deliveries"
        selection={selection}
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
        drawer="Delivery"
        renderDetails={(id) => <DeliveryDetails id={id} />}
      >
        {page.filter.values.status !== 'abandoned' && (
          <Button variant="default" onClick={() => page.filter.set({ status: 'abandoned' })}>
            Only abandoned
          </Button>
        )}
        <SavedViews filter={page.filter} page="deliveries" layout={page.layout} />
      </FilteredTable>
    </PageFrame>
  )
}

/** A deleted endpoint has no address. */
function deliveryColumns(endpoints: readonly Endpoint[] | undefined): readonly Column<Delivery>[] {
  const urls = new Map(endpoints?.map(({ id, url }) => [id, shortUrl(url)]))
  return [
    column.state('status', 'State', { id: 'state', roles: DELIVERY_ROLES, width: '150px' }),
    column.text('eventType', 'Event', { id: 'type' }),
    {
      id: 'endpoint',
      title: 'Endpoint',
      sortBy: ({ endpointId }) => urls.get(endpointId),
      width: 'minmax(0, 1.3fr)',
      narrow: 'hidden',
      cell: ({ endpointId }) => urls.get(endpointId) ?? 'deleted',
    },
    column.text('attempts', 'Failed', { width: '60px', align: 'right', narrow: 'hidden' }),
    column.time('nextAttemptAt', 'Next attempt', {
      id: 'next',
      clock: 'business',
      ahead: true,
      width: '124px',
      narrow: 'hidden',
    }),
    {
      id: 'error',
      title: 'Error',
      sortBy: ({ error, errorCode }) => error ?? errorCode,
      width: 'minmax(0, 1.3fr)',
      cell: ({ error, errorCode }) => error ?? errorCode ?? '',
    },
    column.time('createdAt', 'Created', { id: 'made', width: '104px' }),
  ]
}

const COLUMNS: readonly Column<Run>[] = [
  column.time('ranAt', 'When', { clock: 'business', width: 'minmax(110px, 1fr)' }),
  column.count('processed', 'Retried'),
  column.count('success', 'Delivered'),
  column.count('failed', 'Failed again'),
]

export function Runs() {
  const list = useListOf('/api/v1/webhook-deliveries/runs', ['webhooks', 'runs'])
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  return (
    <PageFrame lead="Retries of failed deliveries, and their results.">
      <DataTable
        label="Retries"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No retries yet">
            Each retry of failed deliveries appears here with its results.
          </Empty>
        }
      />
    </PageFrame>
  )
}

import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { FilterMoment } from '../../parts/filter-moment.tsx'
import { ButtonLink } from '../../parts/links.tsx'
import { MoreFilters } from '../../parts/more-filters.tsx'
import { useSelection } from '../../parts/table/selection.ts'
import { moment, oneOf, text } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { deliveryColumns } from './delivery-columns.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { ReplaySelected } from './replay-selected.tsx'
import { useEndpoints } from './use-endpoints.ts'
import { DELIVERY_STATES, isFinished, shortUrl } from './webhook.ts'
import { WebhooksFrame } from './webhooks-frame.tsx'

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
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-deliveries', { params: { query }, signal })),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'news')
  const columns = useMemo(() => deliveryColumns(endpoints), [endpoints])
  const chosen = list.rows.filter((row) => selection.has(row.id) && isFinished(row))
  return (
    <WebhooksFrame
      lead="Events sent to endpoints: five attempts over half a minute, then they are abandoned."
      actions={<ReplaySelected deliveries={chosen} onDone={selection.clear} />}
    >
      <FilteredTable
        filter={filter}
        label="Deliveries"
        list={list}
        columns={columns}
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
      </FilteredTable>
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title="Delivery">
        {opened.id !== undefined && <DeliveryDetails key={opened.id} id={opened.id} />}
      </DetailDrawer>
    </WebhooksFrame>
  )
}

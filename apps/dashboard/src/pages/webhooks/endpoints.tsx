import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo } from 'react'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import { oneOf } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { endpointColumns } from './endpoint-columns.tsx'
import { EndpointDetails } from './endpoint-details.tsx'
import { NewEndpoint } from './new-endpoint.tsx'
import { useHealth } from './use-endpoints.ts'
import { WebhooksFrame } from './webhooks-frame.tsx'

const STATES = ['enabled', 'disabled'] as const
const FILTER = { status: oneOf(STATES) }

/** Who receives events, and how well. */
export function Endpoints() {
  const api = useApi()
  const opened = useOpened()
  const [isMaking, making] = useDisclosure(false)
  const health = useHealth().data
  const { filter, list } = useFilteredList({
    queryKey: ['webhooks', 'endpoints', 'list'],
    fields: FILTER,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-endpoints', { params: { query }, signal })),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'news')
  const columns = useMemo(() => endpointColumns(health), [health])
  return (
    <WebhooksFrame
      lead="Addresses that receive events, each signed with its own secret."
      actions={<Button onClick={making.open}>New endpoint</Button>}
    >
      <FilteredTable
        filter={filter}
        label="Endpoints"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty
            title="No endpoints yet"
            action={
              <Button mt="xs" variant="default" onClick={making.open}>
                Create the first endpoint
              </Button>
            }
          >
            An endpoint is an address that receives your events by POST, such as payment.succeeded.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={STATES} />
      </FilteredTable>
      <NewEndpoint isOpen={isMaking} onClose={making.close} />
      <DetailDrawer isOpen={opened.id !== undefined} onClose={opened.close} title="Endpoint">
        {opened.id !== undefined && (
          <EndpointDetails
            key={opened.id}
            id={opened.id}
            health={health?.get(opened.id)}
            onGone={opened.close}
          />
        )}
      </DetailDrawer>
    </WebhooksFrame>
  )
}

import {
  type Column,
  dataOf,
  DialogButton,
  Empty,
  FilteredTable,
  PageFrame,
  post,
  Time,
  useApi,
  useFilteredList,
  useFresh,
  useOpened,
  useRefresh,
  field,
} from '@posthorn/dashboard/kit'
import { useMemo, useState } from 'react'
import { type Renewed, SecretDialog } from './endpoint-actions.tsx'
import { EndpointDetails } from './endpoint-details.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import {
  type Endpoint,
  EndpointMap,
  EndpointState,
  type Health,
  shortUrl,
  showSuccess,
  SUCCESS,
  useHealth,
} from './webhook.tsx'

const FILTER = { status: field.choice('State', ['enabled', 'disabled']) }

/** An endpoint's failure is stored after the attempt, and the event stream does not announce it. */
const FAILING_MS = 10_000

export function Endpoints() {
  const api = useApi()
  const opened = useOpened()
  const health = useHealth()
  const columns = useMemo(() => endpointColumns(health), [health])
  const page = useFilteredList({
    queryKey: ['webhooks', 'endpoints', 'list'],
    fields: FILTER,
    columns,
    read: (query, signal) =>
      dataOf(api.GET('/api/v1/webhook-endpoints', { params: { query }, signal })),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  useRefresh(['webhooks', 'endpoints'], FAILING_MS)
  return (
    <PageFrame
      lead="Addresses that receive events, each signed with its own secret."
      actions={<NewEndpoint />}
    >
      <FilteredTable
        {...page}
        label="Endpoints"
        empty={
          <Empty title="No endpoints yet">
            An endpoint is an address that receives your events by POST, such as payment.succeeded.
          </Empty>
        }
        drawer="Endpoint"
        renderDetails={(id) => (
          <EndpointDetails id={id} health={health?.get(id)} onGone={opened.close} />
        )}
      />
      <EndpointMap />
    </PageFrame>
  )
}

/** The columns, with the health of each endpoint if it is known. */
function endpointColumns(
  health: ReadonlyMap<string, Health> | undefined,
): readonly Column<Endpoint>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: '116px',
      cell: (endpoint) => <EndpointState endpoint={endpoint} health={health?.get(endpoint.id)} />,
    },
    {
      id: 'url',
      title: 'Address',
      width: 'minmax(0, 2fr)',
      cell: ({ url }) => <span title={url}>{shortUrl(url)}</span>,
    },
    {
      id: 'events',
      title: 'Events',
      width: 'minmax(0, 1fr)',
      narrow: 'hidden',
      cell: ({ eventTypes }) => eventTypes.join(', '),
    },
    {
      id: 'success',
      title: SUCCESS,
      width: '112px',
      align: 'right',
      cell: ({ id }) => showSuccess(health?.get(id)),
    },
    {
      id: 'failure',
      title: 'Last failure',
      width: 'minmax(0, 1.2fr)',
      cell: ({ id }) => health?.get(id)?.lastFailure?.code ?? 'none recently',
    },
    {
      id: 'delivered',
      title: 'Last delivered',
      width: '132px',
      cell: ({ id }) => <Time at={health?.get(id)?.lastDeliveredAt} clock="business" />,
    },
  ]
}

/** Creates an endpoint and shows its secret once. */
function NewEndpoint() {
  const [made, setMade] = useState<Renewed>()
  return (
    <>
      <DialogButton to="administer" label="New endpoint" title="New endpoint">
        {(close) => (
          <EndpointForm
            verb="Create endpoint"
            save={(body) => post('/api/v1/webhook-endpoints', { body })}
            done="Endpoint created."
            onClose={close}
            onDone={setMade}
          />
        )}
      </DialogButton>
      <SecretDialog
        made={made}
        titles={['Secret (shown once)', 'Public key']}
        onKept={() => setMade(undefined)}
      />
    </>
  )
}

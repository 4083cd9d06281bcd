import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  type Column,
  dataOf,
  DetailDrawer,
  Empty,
  FilteredTable,
  FilterSelect,
  formatShare,
  neighboursOf,
  oneOf,
  PermittedButton,
  SectionFrame,
  Time,
  useAction,
  useApi,
  useFilteredList,
  useFresh,
  useOpened,
} from '@posthorn/dashboard/kit'
import { useMemo, useState } from 'react'
import { type Renewed, SecretOnce } from './endpoint-actions.tsx'
import { EndpointDetails } from './endpoint-details.tsx'
import { bodyOf, type EndpointFields } from './endpoint-fields.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointMap } from './endpoint-map.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { type Endpoint, type Health, shortUrl, useHealth } from './webhook.ts'

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
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  const columns = useMemo(() => endpointColumns(health), [health])
  return (
    <SectionFrame
      lead="Addresses that receive events, each signed with its own secret."
      actions={
        <PermittedButton to="administer" onClick={making.open}>
          New endpoint
        </PermittedButton>
      }
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
              <PermittedButton to="administer" mt="xs" variant="default" onClick={making.open}>
                Create the first endpoint
              </PermittedButton>
            }
          >
            An endpoint is an address that receives your events by POST, such as payment.succeeded.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={STATES} />
      </FilteredTable>
      <EndpointMap />
      <NewEndpoint isOpen={isMaking} onClose={making.close} />
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Endpoint"
        neighbours={neighboursOf(list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && (
          <EndpointDetails
            key={opened.id}
            id={opened.id}
            health={health?.get(opened.id)}
            onGone={opened.close}
          />
        )}
      </DetailDrawer>
    </SectionFrame>
  )
}

/** The columns of endpoints, with how each is doing where that is known. */
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
      title: 'Success',
      width: '76px',
      align: 'right',
      cell: ({ id }) => shareOf(health?.get(id)),
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

function shareOf(health: Health | undefined): string {
  const rate = health?.successRate
  return rate === undefined || rate === null ? '–' : formatShare(rate)
}

interface NewEndpointProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Makes an endpoint, and shows its secret this once. */
function NewEndpoint({ isOpen, onClose }: NewEndpointProps) {
  const api = useApi()
  const [made, setMade] = useState<Renewed>()
  const create = useAction({
    run: (fields: EndpointFields) => {
      const body = { ...bodyOf(fields), signing: fields.signing }
      return dataOf(api.POST('/api/v1/webhook-endpoints', { body }))
    },
    done: () => 'Endpoint created.',
    changes: ['webhooks'],
  })
  const close = () => {
    onClose()
    setMade(undefined)
    create.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={titleOf(made)}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        <EndpointForm
          verb="Create endpoint"
          error={create.error}
          isPending={create.isPending}
          onClose={close}
          onSubmit={(fields) => create.mutate(fields, { onSuccess: setMade })}
        />
      ) : (
        <SecretOnce made={made} onKept={close} />
      )}
    </Modal>
  )
}

function titleOf(made: Renewed | undefined): string {
  if (made === undefined) return 'New endpoint'
  return made.secret === null ? 'Public key' : 'Secret (shown once)'
}

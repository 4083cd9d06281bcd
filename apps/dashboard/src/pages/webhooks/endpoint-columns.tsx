import { formatShare } from '../../format/number.ts'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { shortUrl, type Endpoint, type Health } from './webhook.ts'

/** The columns of endpoints, with how each is doing where that is known. */
export function endpointColumns(
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
      narrow: 'hidden',
      cell: ({ id }) => health?.get(id)?.lastFailure?.code ?? 'none recently',
    },
    {
      id: 'delivered',
      title: 'Last delivered',
      width: '116px',
      narrow: 'hidden',
      cell: ({ id }) => <Time at={health?.get(id)?.lastDeliveredAt} />,
    },
  ]
}

function shareOf(health: Health | undefined): string {
  const rate = health?.successRate
  return rate === undefined || rate === null ? '–' : formatShare(rate)
}

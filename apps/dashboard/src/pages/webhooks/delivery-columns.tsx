import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { DELIVERY_ROLES, shortUrl, type Delivery, type Endpoint } from './webhook.ts'

/** The columns of deliveries; an endpoint that is forgotten has no address any more. */
export function deliveryColumns(
  endpoints: readonly Endpoint[] | undefined,
): readonly Column<Delivery>[] {
  const urls = new Map(endpoints?.map(({ id, url }) => [id, shortUrl(url)]))
  return [
    {
      id: 'state',
      title: 'State',
      width: '150px',
      cell: ({ status }) => <StateBadge state={status} role={DELIVERY_ROLES[status]} />,
    },
    { id: 'type', title: 'Event', cell: ({ eventType }) => eventType },
    {
      id: 'endpoint',
      title: 'Endpoint',
      width: 'minmax(0, 1.3fr)',
      narrow: 'hidden',
      cell: ({ endpointId }) => urls.get(endpointId) ?? 'forgotten',
    },
    {
      id: 'attempts',
      title: 'Failed',
      width: '60px',
      align: 'right',
      narrow: 'hidden',
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'next',
      title: 'Next attempt',
      width: '108px',
      narrow: 'hidden',
      cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} clock="business" />,
    },
    {
      id: 'error',
      title: 'Error',
      width: 'minmax(0, 1.3fr)',
      narrow: 'hidden',
      cell: ({ error, errorCode }) => error ?? errorCode ?? '',
    },
    {
      id: 'made',
      title: 'Created',
      width: '104px',
      cell: ({ createdAt }) => <Time at={createdAt} clock="business" />,
    },
  ]
}

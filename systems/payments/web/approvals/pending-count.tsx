import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { dataOf, useApi, useFresh, usePermission } from '@posthorn/dashboard/kit'

const MOST = 99

/** How many proposals wait, for those who may decide. */
export function PendingCount() {
  const api = useApi()
  const { isAllowed } = usePermission('approve')
  const { data } = useQuery({
    queryKey: ['approvals', 'pending'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/approvals', {
          params: { query: { status: 'pending', limit: MOST + 1 } },
          signal,
        }),
      ),
    enabled: isAllowed,
  })
  useFresh(['approvals'], (event) => event.kind === 'announcement' && event.topic === 'approvals')
  const count = data?.items.length ?? 0
  if (count === 0) return null
  return (
    <Badge size="xs" ml="auto" aria-label={`${count} waiting`}>
      {count > MOST ? `${MOST}+` : count}
    </Badge>
  )
}

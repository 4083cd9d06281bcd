import { Badge } from '@mantine/core'
import { useFresh, usePermission, useRead, said } from '@posthorn/dashboard/kit'

const MOST = 99

/** The number of pending proposals, for users who may approve. */
export function PendingCount() {
  const { isAllowed } = usePermission('approve')
  const { data } = useRead('/api/v1/approvals', ['approvals', 'pending'], {
    params: { query: { status: 'pending', limit: MOST + 1 } },
    enabled: isAllowed,
  })
  useFresh(['approvals'], said('approvals'))
  const count = data?.items.length ?? 0
  if (count === 0) return null
  return (
    <Badge size="xs" ml="auto" aria-label={`${count} waiting`}>
      {count > MOST ? `${MOST}+` : count}
    </Badge>
  )
}

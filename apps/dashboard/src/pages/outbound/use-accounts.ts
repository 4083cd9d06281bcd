import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'

export type Account =
  paths['/api/v1/outbound/accounts']['get']['responses']['200']['content']['application/json']['items'][number]

/** The organisation's accounts, and the default ones of the server. */
export function useAccounts() {
  const api = useApi()
  return useQuery({
    queryKey: ['outbound', 'accounts'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/outbound/accounts', { signal })),
  })
}

/** Whether it belongs to the organisation, and not to the server. */
export function isOwn({ isDefault }: Account): boolean {
  return !isDefault
}

export function accountTitle({ isDefault, channel, name }: Account): string {
  return isDefault ? `Default account for ${channel}` : name
}

import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { dataOf } from '../api/client.ts'
import type { paths } from '../api/schema.d.ts'
import { roleOf, type StateNames, type StateRole } from '../states/role.ts'

type Listed = paths['/api/v1/outboxes']['get']['responses']['200']['content']['application/json']
export type ListedOutbox = Listed['items'][number]

/** All outboxes with the words that each has for its states. */
export function useOutboxes() {
  const api = useApi()
  return useQuery({
    queryKey: ['outboxes', 'list'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/outboxes', { signal })),
    select: ({ items }) => items,
  })
}

/** The words of an outbox without the roles that it has no word for. */
export function namesOf({ roles }: Pick<ListedOutbox, 'roles'>): StateNames {
  const known = Object.entries(roles).filter(([, word]) => word !== null)
  return Object.fromEntries(known)
}

/** What a state of an outbox means; undefined as long as the outbox is not known. */
export function roleIn(
  outboxes: readonly ListedOutbox[] | undefined,
  { outbox, state }: { readonly outbox: string; readonly state: string },
): StateRole | undefined {
  const found = outboxes?.find(({ name }) => name === outbox)
  return found && roleOf(state, namesOf(found))
}

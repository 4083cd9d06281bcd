import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { dataOf } from '../api/client.ts'

export type PermissionName = 'read' | 'write' | 'approve' | 'administer' | 'operate' | 'operate-all'

export interface Permitted {
  readonly isAllowed: boolean
  /** Why not, as a sentence; undefined while it is allowed or not known. */
  readonly reason: string | undefined
}

/** Whether the user may do something, as the server says. The server refuses in any case. */
export function usePermission(name: PermissionName): Permitted {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/me', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const permission = data?.permissions.find((each) => each.name === name)
  if (data === undefined || permission === undefined) return { isAllowed: false, reason: undefined }
  if (permission.allowed) return { isAllowed: true, reason: undefined }
  if (data.portal !== null) return { isAllowed: false, reason: 'This page is for reading only.' }
  const roles = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(permission.roles)
  return {
    isAllowed: false,
    reason: `Your role, ${data.role}, may not ${permission.about}. It takes ${roles}.`,
  }
}

import { dataOf, type paths, useApi } from '@posthorn/dashboard/kit'
import { useQuery } from '@tanstack/react-query'

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

export type Template =
  paths['/api/v1/outbound/templates']['get']['responses']['200']['content']['application/json']['items'][number]

/** The templates that the organisation has registered, the first 200. */
export function useTemplates() {
  const api = useApi()
  return useQuery({
    queryKey: ['outbound', 'templates', 'all'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outbound/templates', { params: { query: { limit: 200 } }, signal })),
  })
}

/** What a message of it must give, as a phrase. */
export function wantedPhrase({ parameters: { header, body, buttons } }: Template): string {
  const parts = [
    ...(header === null ? [] : [header === 'text' ? 'a header' : `a header with ${header}`]),
    ...(body.length === 0 ? [] : [`${body.length} in the body (${body.join(', ')})`]),
    ...buttons.map((kind) => (kind === 'otp' ? 'the code in its button, by itself' : 'a button')),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'

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

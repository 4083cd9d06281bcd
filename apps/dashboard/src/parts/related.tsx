import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { dataOf } from '../api/client.ts'
import { AnchorLink } from './links.tsx'
import { Panel } from './panel.tsx'

interface RelatedProps {
  /** Ids that name the thing, here and elsewhere: its own, the gateway's, its event's. */
  readonly ids: readonly (string | null | undefined)[]
  /** Of these kinds nothing is shown: they are the page itself. */
  readonly except: readonly string[]
}

/** The same business thing on other pages: the order of a payment, the webhooks of both. */
export function Related({ ids, except }: RelatedProps) {
  const api = useApi()
  const known = [...new Set(ids.filter((id) => typeof id === 'string' && id !== ''))] as string[]
  const { data = [] } = useQuery({
    queryKey: ['search', 'related', ...known],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        known.map((q) => dataOf(api.GET('/api/v1/search', { params: { query: { q } }, signal }))),
      )
      return answers.flatMap(({ items }) => items)
    },
    enabled: known.length > 0,
  })
  const places = new Map(data.map((item) => [`${item.kind} ${item.to}`, item]))
  const shown = [...places.values()].filter(({ kind }) => !except.includes(kind))
  if (shown.length === 0) return null
  return (
    <Panel title="Elsewhere">
      <Group gap="xs 16px">
        {shown.map(({ kind, title, detail, to }) => (
          <AnchorLink key={`${kind} ${to}`} to={to} size="sm">
            {title} ({detail})
          </AnchorLink>
        ))}
      </Group>
    </Panel>
  )
}

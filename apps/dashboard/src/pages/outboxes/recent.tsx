import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { Empty } from '../../parts/empty.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx'
import type { paths } from '../../api/schema.d.ts'

type Entry =
  paths['/api/v1/audit']['get']['responses']['200']['content']['application/json']['items'][number]

/** What happened in an outbox last. */
export function Recent({ name }: { name: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outboxes', name, 'recent'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/audit', { params: { query: { outbox: name, limit: 20 } }, signal })),
  })
  return (
    <Panel title="Recent events">
      <QueryState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing yet">Message transitions appear here.</Empty>
          ) : (
            <Timeline entries={items.map((entry) => entryOf(name, entry))} />
          )
        }
      </QueryState>
    </Panel>
  )
}

function entryOf(name: string, entry: Entry): TimelineEntry {
  if (entry.kind === 'operation') {
    const reason = entry.reason === null ? '' : `: ${entry.reason}`
    return {
      id: entry.id,
      at: entry.at,
      what: `${entry.actor}: ${entry.operation} ${entry.subject}${reason}`,
    }
  }
  return {
    id: entry.id,
    at: entry.at,
    what: (
      <>
        {entry.from ?? 'new'} → {entry.to}{' '}
        <AnchorLink to="/messages" search={{ outbox: name, open: `${name}:${entry.messageId}` }}>
          {entry.messageId.slice(0, 18)}
        </AnchorLink>
      </>
    ),
    ...(entry.error !== null && { details: `${entry.code ?? ''} ${entry.error}`.trim() }),
  }
}

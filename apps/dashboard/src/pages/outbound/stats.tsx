import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { ROLE_LOOKS } from '../../states/role.ts'
import { MESSAGE_ROLES, MESSAGE_STATES } from './outbound-message.ts'

/** How many messages of the organisation are in which state. */
export function Stats() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'stats'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/outbound/messages/stats', { signal })),
  })
  return (
    <QueryState query={query}>
      {({ counts }) => (
        <StatStrip>
          {MESSAGE_STATES.map((state) => (
            <Stat
              key={state}
              label={state}
              value={formatCount(counts[state] ?? 0)}
              hint={ROLE_LOOKS[MESSAGE_ROLES[state]].word}
              tone={state === 'FAILED' && (counts[state] ?? 0) > 0 ? 'bad' : 'normal'}
            />
          ))}
        </StatStrip>
      )}
    </QueryState>
  )
}

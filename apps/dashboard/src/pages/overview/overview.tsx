import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatRate, formatShare } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Stat, StatStrip } from '../../parts/stat.tsx'
import { useSettings } from '../../settings/settings-context.tsx'
import { Charts } from './charts.tsx'
import { sum } from './history.ts'
import { OutboxRows } from './outbox-rows.tsx'
import { troublesOf, type Overview as Data } from './trouble.ts'
import { Troubles } from './troubles.tsx'
import { waitingOf } from './waiting.ts'

/** Without events a page still polls now and then: behind a pooler none arrive. */
const EVERY_MS = 5_000

/** Problem first, then how much moves. */
export function Overview() {
  const api = useApi()
  const { production } = useSettings()
  const query = useQuery({
    queryKey: ['overview', 'now'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/overview', { signal })),
    refetchInterval: EVERY_MS,
  })
  useFresh(['overview', 'now'], ({ kind }) => kind !== 'news')
  return (
    <PageFrame
      title="Overview"
      lead="All messages of all systems, and what needs attention."
      actions={!production && <DemoLink />}
    >
      <QueryState query={query}>
        {(data) => (
          <>
            <Troubles troubles={troublesOf(data)} />
            <Numbers data={data} />
            <Charts />
            <Panel title="Outboxes">
              <OutboxRows outboxes={data.outboxes} />
            </Panel>
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}

/** For first-time users. */
function DemoLink() {
  return (
    <ButtonLink to="/demo" variant="default">
      See it at work
    </ButtonLink>
  )
}

function Numbers({ data: { outboxes, alerts } }: { data: Data }) {
  const oldest = Math.max(0, ...outboxes.map((each) => (each.due > 0 ? each.oldestDueSeconds : 0)))
  const rate = sum(outboxes.map(({ perSecond }) => perSecond))
  const died = sum(outboxes.map(({ diedToday }) => diedToday))
  // Weighed by how much each sends: a quiet outbox with one failure is not the average.
  const failing =
    rate === 0
      ? 0
      : sum(outboxes.map(({ failureRate, perSecond }) => failureRate * perSecond)) / rate
  return (
    <StatStrip>
      <Stat
        label="Waiting"
        value={formatCount(sum(outboxes.map(waitingOf)))}
        hint={`${formatCount(sum(outboxes.map(({ due }) => due)))} due now`}
      />
      <Stat label="Rate" value={formatRate(rate)} hint="in the last minute" />
      <Stat
        label="Oldest due"
        value={oldest === 0 ? 'none' : formatDuration(oldest * 1_000)}
        tone={oldest > 60 ? 'warning' : 'normal'}
      />
      <Stat label="Failing" value={formatShare(failing)} hint="of attempts" />
      <Stat
        label="Given up today"
        value={formatCount(died)}
        tone={died > 0 ? 'warning' : 'normal'}
      />
      <Stat
        label="Open alerts"
        value={formatCount(alerts.open)}
        tone={alerts.open > 0 ? 'bad' : 'normal'}
      />
    </StatStrip>
  )
}

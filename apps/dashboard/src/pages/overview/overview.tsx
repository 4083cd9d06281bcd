import { Group, Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { DeliveryCharts } from '../../charts/delivery-charts.tsx'
import {
  countOf,
  formatCount,
  formatDuration,
  formatRate,
  formatShare,
} from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink, ButtonLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Age, Stat, StatStrip } from '../../parts/show/facts.tsx'
import { useSettings } from '../../settings/settings.tsx'
import {
  deadOf,
  failingOf,
  type OutboxItem,
  type Overview as Data,
  type Trouble,
  troublesOf,
  useOverview,
} from './trouble.ts'

/** What is wrong first, then how much moves. */
export function Overview() {
  const { has } = useSettings()
  const query = useOverview()
  useFresh(['overview', 'now'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Overview"
      lead="Messages of all outboxes, and what needs attention."
      actions={
        has.includes('demo') && (
          <ButtonLink to="/demo" variant="default">
            Run the demo
          </ButtonLink>
        )
      }
    >
      <QueryState query={query}>
        {(data) => (
          <>
            <Numbers data={data} />
            <Troubles troubles={troublesOf(data)} />
            <DeliveryCharts />
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}

/** The destination that fails most: the share of all attempts hides it behind a busy one that works. */
function Failing({ share, worst }: { share: number; worst: Data['failing'][number] | undefined }) {
  if (!worst) {
    return <Stat label="Failing" value={formatShare(share)} hint="last minute" />
  }
  const { destination, name, answered, unanswered } = worst
  const worstShare = unanswered / (answered + unanswered)
  return (
    <Stat
      label="Failing most"
      value={formatShare(worstShare)}
      hint={`to ${name ?? destination}; ${formatShare(share)} of all attempts, last minute`}
      tone={worstShare >= 0.5 ? 'bad' : 'warning'}
    />
  )
}

function Numbers({ data: { outboxes, failing } }: { data: Data }) {
  const oldest = Math.max(0, ...outboxes.map((each) => each.oldestUndeliveredSeconds))
  const total = (read: (item: OutboxItem) => number) =>
    outboxes.reduce((sum, item) => sum + read(item), 0)
  const count = (field: 'due' | 'retrying' | 'postponed' | 'scheduled') =>
    formatCount(total((item) => item[field]))
  const dead = total(deadOf)
  const isLate = outboxes.some(({ oldestDueSeconds }) => oldestDueSeconds > 60)
  return (
    <StatStrip>
      <Stat
        label="Rate"
        value={formatRate(total(({ perSecond }) => perSecond))}
        hint="last minute"
      />
      <Stat
        label="Due"
        value={count('due')}
        hint="to be sent now"
        tone={isLate ? 'warning' : 'normal'}
      />
      <Stat label="Retrying" value={count('retrying')} hint="failed before" />
      <Stat label="Postponed" value={count('postponed')} hint="not tried yet" />
      <Stat label="Scheduled" value={count('scheduled')} hint="due later" />
      <Stat
        label="Oldest pending"
        value={oldest === 0 ? 'none' : formatDuration(oldest * 1_000)}
        hint="since its commit"
        tone={isLate ? 'warning' : 'normal'}
      />
      <Failing share={failingOf(outboxes)} worst={failing[0]} />
      <Stat
        label="Dead"
        value={formatCount(dead)}
        hint="need replay"
        tone={dead > 0 ? 'warning' : 'normal'}
      />
    </StatStrip>
  )
}

/** What is wrong, each with a link to where it is fixed. */
function Troubles({ troubles }: { troubles: readonly Trouble[] }) {
  if (troubles.length === 0) {
    return (
      <Group gap={8} role="status">
        <IconCircleCheck size={18} color="var(--mantine-color-teal-6)" aria-hidden />
        <Text>No action needed. Messages are moving and none is dead.</Text>
      </Group>
    )
  }
  return (
    <Panel title={`${countOf(troubles.length, 'thing needs', 'things need')} attention`}>
      <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {troubles.map((trouble) => (
          <Line key={trouble.id} trouble={trouble} />
        ))}
      </Stack>
    </Panel>
  )
}

function Line({ trouble: { tone, what, why, since, to } }: { trouble: Trouble }) {
  const Picture = tone === 'bad' ? IconAlertCircle : IconAlertTriangle
  const color = tone === 'bad' ? 'red' : 'orange'
  return (
    <Group component="li" gap={10} wrap="nowrap" align="flex-start">
      <Picture
        size={18}
        color={`var(--mantine-color-${color}-6)`}
        style={{ flex: 'none', marginTop: 2 }}
        role="img"
        aria-label={tone === 'bad' ? 'Bad' : 'Warning'}
      />
      <div>
        <AnchorLink to={to} fw={500} c="var(--mantine-color-text)">
          {what}
        </AnchorLink>
        <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {why.replace(/([^.!?:])$/, '$1.')}
          {since !== null && (
            <>
              {' '}
              For <Age of={since} />.
            </>
          )}
        </Text>
      </div>
    </Group>
  )
}

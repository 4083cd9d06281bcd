import { Group, ScrollArea, Stack, Text } from '@mantine/core'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { type Answer, useRead } from '../../api/client.tsx'
import { DeliveryCharts } from '../../charts/delivery-charts.tsx'
import { Sparkline } from '../../charts/sparkline.tsx'
import { formatCount, formatDuration, formatRate, formatShare } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { AnchorLink, ButtonLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Duration, Stat, StatStrip, Time } from '../../parts/show/facts.tsx'
import { type PlainColumn, PlainTable } from '../../parts/table/plain-table.tsx'
import { useSettings } from '../../settings/settings.tsx'
import { GroupRows } from '../consumers/consumers.tsx'
import {
  deadOf,
  failingOf,
  type OutboxItem,
  type Overview as Data,
  type Trouble,
  troublesOf,
} from './trouble.ts'

/** How many should be delivered and are not: what is for later does not wait yet. */
function waitingOf({
  due,
  retrying,
  postponed,
}: Pick<OutboxItem, 'due' | 'retrying' | 'postponed'>): number {
  return due + retrying + postponed
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function oldestOf(outboxes: readonly OutboxItem[]): number {
  return Math.max(0, ...outboxes.map((each) => each.oldestUndeliveredSeconds))
}

/** Without events a page still polls now and then: behind a pooler none arrive. */
const EVERY_MS = 10_000

/** What is wrong first, then how much moves. */
export function Overview() {
  const { has } = useSettings()
  const query = useRead('/api/v1/overview', ['overview', 'now'], { refetchInterval: EVERY_MS })
  useFresh(['overview', 'now'], ({ kind }) => kind !== 'announcement')
  return (
    <PageFrame
      title="Overview"
      lead="All messages of all outboxes, and what needs attention."
      actions={has.includes('demo') && <DemoLink />}
    >
      <QueryState query={query}>
        {(data) => (
          <>
            <Troubles troubles={troublesOf(data)} />
            <Numbers data={data} />
            <DeliveryCharts />
            <Panel title="Outboxes">
              <OutboxRows outboxes={data.outboxes} />
            </Panel>
            {(has.length > 0 || data.consumers.length > 0) && (
              <Panel title="Consumers">
                <GroupRows groups={data.consumers} />
              </Panel>
            )}
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

/** The share of all attempts says little where a busy destination works and another does not. */
function Failing({ share, worst }: { share: number; worst: Data['failing'][number] | undefined }) {
  if (!worst) return <Stat label="Failing" value={formatShare(share)} hint="of attempts" />
  const { destination, name, answered, unanswered } = worst
  const worstShare = unanswered / (answered + unanswered)
  return (
    <Stat
      label="Failing"
      value={formatShare(share)}
      hint={`of attempts; ${formatShare(worstShare)} to ${name ?? destination}`}
      tone={worstShare >= 0.5 ? 'bad' : 'warning'}
    />
  )
}

function Numbers({ data: { outboxes, alerts, failing } }: { data: Data }) {
  const oldest = oldestOf(outboxes)
  const rate = sum(outboxes.map(({ perSecond }) => perSecond))
  const dead = sum(outboxes.map(deadOf))
  return (
    <StatStrip>
      <Stat
        label="Waiting"
        value={formatCount(sum(outboxes.map(waitingOf)))}
        hint={`${formatCount(sum(outboxes.map(({ due }) => due)))} due, ${formatCount(sum(outboxes.map(({ retrying }) => retrying)))} retrying, ${formatCount(sum(outboxes.map(({ postponed }) => postponed)))} postponed`}
      />
      <Stat
        label="Scheduled"
        value={formatCount(sum(outboxes.map(({ scheduled }) => scheduled)))}
        hint="due later"
      />
      <Stat label="Rate" value={formatRate(rate)} hint="in the last minute" />
      <Stat
        label="Oldest undelivered"
        value={oldest === 0 ? 'none' : formatDuration(oldest * 1_000)}
        hint="since its commit"
        tone={outboxes.some(({ oldestDueSeconds }) => oldestDueSeconds > 60) ? 'warning' : 'normal'}
      />
      <Failing share={failingOf(outboxes)} worst={failing[0]} />
      <Stat
        label="Given up"
        value={formatCount(dead)}
        hint="wait for a replay"
        tone={dead > 0 ? 'warning' : 'normal'}
      />
      <Stat
        label="Open alerts"
        value={formatCount(alerts.open)}
        tone={alerts.open > 0 ? 'bad' : 'normal'}
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
        <Text>No action needed. Messages are moving and none is given up.</Text>
      </Group>
    )
  }
  return (
    <Panel
      title={`${troubles.length} ${troubles.length === 1 ? 'thing needs' : 'things need'} attention`}
    >
      <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {troubles.map((trouble) => (
          <Line key={trouble.id} trouble={trouble} />
        ))}
      </Stack>
    </Panel>
  )
}

function Line({ trouble: { tone, what, why, since, to } }: { trouble: Trouble }) {
  const Picture = tone === 'bad' ? IconAlertOctagon : IconAlertTriangle
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
        <AnchorLink to={to} fw={600}>
          {what}
        </AnchorLink>
        <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {why}
          {since !== null && (
            <>
              {' '}
              Since <Time at={since} />.
            </>
          )}
        </Text>
      </div>
    </Group>
  )
}

/** The last hour; relays write it down each minute, so asking more often shows nothing new. */
function useHistory() {
  return useRead('/api/v1/overview/history', ['overview', 'history'], { refetchInterval: 15_000 })
}

type History = Answer<'/api/v1/overview/history'>['outboxes']

function outboxColumns(history: History): readonly PlainColumn<OutboxItem>[] {
  return [
    {
      title: 'Outbox',
      cell: ({ name, paused }) => (
        <>
          <AnchorLink to="/outboxes/$name" params={{ name }}>
            {name}
          </AnchorLink>
          {paused && ' (paused)'}
        </>
      ),
    },
    { title: 'Due', cell: ({ due }) => formatCount(due) },
    { title: 'Retrying', cell: ({ retrying }) => formatCount(retrying) },
    { title: 'Postponed', cell: ({ postponed }) => formatCount(postponed) },
    { title: 'Scheduled', cell: ({ scheduled }) => formatCount(scheduled) },
    {
      title: 'Oldest undelivered',
      cell: (outbox) => <Duration ms={outbox.oldestUndeliveredSeconds * 1_000 || null} />,
    },
    { title: 'Rate', cell: ({ perSecond }) => formatRate(perSecond) },
    {
      title: 'Last hour',
      cell: ({ name }) => (
        <Sparkline
          values={(history[name] ?? []).map(({ delivered }) => delivered)}
          color="teal"
          label={`What ${name} delivered in the last hour`}
          isRunning
        />
      ),
    },
    { title: 'Failing', cell: ({ failureRate }) => formatShare(failureRate) },
    { title: 'Relays', cell: ({ relays }) => relays },
  ]
}

/** Every outbox in a line. */
function OutboxRows({ outboxes }: { outboxes: readonly OutboxItem[] }) {
  const history = useHistory().data?.outboxes ?? {}
  return (
    <ScrollArea type="auto">
      <PlainTable
        verticalSpacing={6}
        highlightOnHover
        miw={760}
        rows={outboxes}
        idOf={({ name }) => name}
        columns={outboxColumns(history)}
      />
    </ScrollArea>
  )
}

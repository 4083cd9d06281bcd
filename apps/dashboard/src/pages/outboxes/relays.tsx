import { Text } from '@mantine/core'
import { PageFrame } from '../../parts/layout/page-frame.tsx'
import { QueryState } from '../../parts/layout/notice.tsx'
import { Age, CopyId, Duration } from '../../parts/show/facts.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { type OutboxItem, useOverview } from '../overview/trouble.ts'

type Relay = OutboxItem['alive'][number]

/** Slower than this, something is wrong. */
const SLOW_MS = 1_000

/** So long no request and no heartbeat of the process was answered. */
const BLOCKED_MS = 250

/** Every relay with what it does, the slowest first. */
export function Relays() {
  const query = useOverview()
  return (
    <PageFrame
      title="Relays"
      lead="Processes that deliver messages, the slowest first. Figures are of the last minute, as of the last heartbeat."
    >
      <QueryState query={query}>
        {({ outboxes }) => <RelayTable relays={mergeRelays(outboxes)} />}
      </QueryState>
    </PageFrame>
  )
}

export function RelayTable({ relays }: { relays: readonly Relay[] }) {
  return (
    <DataTable
      label="Relays"
      list={relays.toSorted((one, other) => slownessOf(other) - slownessOf(one))}
      columns={COLUMNS}
      idOf={({ name }) => name}
      empty={<Text size="sm">No relay is running: nothing is sent.</Text>}
    />
  )
}

function slownessOf({ claimMs, settleMs, lagMs }: Relay): number {
  return Math.max(claimMs ?? 0, settleMs ?? 0, lagMs)
}

/** A relay once, with all its outboxes: its messages added up, and of times the slowest. */
function mergeRelays(outboxes: readonly Pick<OutboxItem, 'alive'>[]): Relay[] {
  const byName = Map.groupBy(
    outboxes.flatMap(({ alive }) => alive),
    ({ name }) => name,
  )
  return [...byName.values()].map((each) =>
    each.reduce((one, other) => ({
      ...one,
      settledPerMinute: one.settledPerMinute + other.settledPerMinute,
      inFlight: one.inFlight + other.inFlight,
      claimMs: slower(one.claimMs, other.claimMs),
      settleMs: slower(one.settleMs, other.settleMs),
    })),
  )
}

function slower(one: number | null, other: number | null): number | null {
  return one === null ? other : Math.max(one, other ?? 0)
}

const duration = (
  field: 'claimMs' | 'settleMs' | 'lagMs',
  title: string,
  mostMs: number,
): Column<Relay> => ({
  id: field,
  title,
  align: 'right',
  isBold: (relay) => (relay[field] ?? 0) > mostMs,
  cell: (relay) => <Duration ms={relay[field]} />,
})

const COLUMNS: readonly Column<Relay>[] = [
  {
    id: 'name',
    title: 'Relay',
    width: 'minmax(160px, 2fr)',
    cell: ({ name }) => <CopyId id={name} what="name" />,
  },
  { id: 'up', title: 'Up', narrow: 'hidden', cell: ({ startedAt }) => <Age of={startedAt} /> },
  column.count('settledPerMinute', 'Settled a minute', { width: '116px' }),
  column.count('inFlight', 'In flight'),
  duration('claimMs', 'Claim, p95', SLOW_MS),
  duration('settleMs', 'Settle, p95', SLOW_MS),
  duration('lagMs', 'Longest block', BLOCKED_MS),
]

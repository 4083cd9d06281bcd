import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dataOf, type ItemOf, useApi } from '../../api/client.tsx'
import { ApiProblem } from '../../api/problem.ts'
import { countOf, formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import {
  addressOf,
  columnsOf,
  FailureNote,
  type ListedOutbox,
  useMatchingMessages,
  useOutboxes,
} from '../messages/message-list.tsx'
import { field, type Filter, FilterBar, useFilter } from '../../parts/act/filter-bar.tsx'
import { AnchorLink, PageFrame, Panel } from '../../parts/layout/page-frame.tsx'
import { Empty, ErrorState, Loading, NoMatch, QueryState } from '../../parts/layout/notice.tsx'
import { Time } from '../../parts/show/facts.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { type Column, column } from '../../parts/table/columns.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { useSelection } from '../../parts/table/list.ts'
import { ReplayButton } from './replay-button.tsx'

function fieldsFor(outboxes: readonly ListedOutbox[] = []) {
  return {
    outbox: field.known(
      'Outbox',
      outboxes.map(({ name }) => name),
    ),
    code: field.text('Error code'),
    type: field.text('Type', { rare: true }),
    tenant: field.text('Organisation', { rare: true }),
    since: field.moment('Created after', { rare: true }),
    until: field.moment('Created before', { rare: true }),
  }
}

/** Messages that were given up: why, and how to send them again. */
export function DeadLetters() {
  const query = useOutboxes()
  const fields = fieldsFor(query.data)
  const filter = useFilter(fields)
  const dead = new Set(query.data?.map(({ roles }) => roles.dead))
  // Counting reads every dead row: only what makes one, or takes one away, is worth it.
  useFresh(
    ['dead-letters'],
    (event) =>
      event.kind === 'operation' ||
      (event.kind === 'transition' && (dead.has(event.to) || dead.has(event.from))),
  )
  return (
    <PageFrame
      title="Dead letters"
      lead="Dead messages by cause and destination. Fix the cause, then replay: messages keep their ids."
    >
      <QueryState query={query}>
        {(outboxes) => (
          <>
            <FilterBar filter={filter} fields={fields} />
            <Groups outboxes={outboxes} filter={filter} />
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}

type Filters = Filter<ReturnType<typeof fieldsFor>>

/** What narrows the dead of an outbox. */
type DeadFilter = Omit<Filters['values'], 'outbox'>

interface GroupsProps {
  readonly outboxes: readonly ListedOutbox[]
  readonly filter: Filters
}

function Groups({ outboxes, filter }: GroupsProps) {
  const { outbox: only, ...rest } = filter.values
  const chosen = outboxes.filter(({ name }) => only === undefined || name === only)
  const { groups, isLoading, error, reload } = useDeadGroups(
    chosen.map(({ name }) => name),
    rest,
  )
  if (error !== null) return <ErrorState error={error} onRetry={reload} />
  if (isLoading) return <Loading />
  if (groups.length === 0 && filter.isSet) return <NoMatch onClear={filter.clear} />
  if (groups.length === 0) {
    return (
      <Empty title="No dead letters">A message appears here when it dies, with the reason.</Empty>
    )
  }
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  const one = only === undefined ? undefined : chosen[0]
  const countIn = (name: string) => groups.filter(({ outbox }) => outbox === name).length
  const isLookedAt = only !== undefined && (rest.code !== undefined || groups.length === 1)
  const causes = groups.map((group): Cause => {
    const { outbox, code } = group
    return {
      ...group,
      // A group without a code is what the filter finds only if the outbox has no other group.
      replayed: code === null ? countIn(outbox) === 1 && rest : { ...rest, code },
      onLook: !isLookedAt && (() => filter.set({ outbox, code: code ?? undefined })),
    }
  })
  return (
    <Stack gap="md">
      <div role="status">
        {countOf(total, 'message is', 'messages are')} dead, for {countOf(groups.length, 'reason')}.
      </div>
      <Panel title="Causes">
        <DataTable
          label="Causes"
          list={causes}
          idOf={({ outbox, code }) => `${outbox} ${code ?? ''}`}
          columns={CAUSE_COLUMNS}
          tall
        />
      </Panel>
      {one !== undefined && <DeadRows outbox={one} filter={rest} matching={total} />}
    </Stack>
  )
}

interface Cause extends DeadGroup {
  /** The filter that finds exactly this group; false if none does. */
  readonly replayed: DeadFilter | false
  /** False if they are looked at already. */
  readonly onLook: (() => void) | false
}

/** Why messages died, with what can be done about it. */
function CauseCell({ outbox, code, error, count, destinations, replayed, onLook }: Cause) {
  return (
    <Group justify="space-between" gap="xs">
      <div style={{ flex: '1 1 220px' }}>
        <Text size="sm" fw={500}>
          {outbox}
        </Text>
        {destinations.map(({ destination, name, count: some }) => (
          <Text key={destination} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {formatCount(some)} to {name ?? destination}
          </Text>
        ))}
        {code === null && 'No error code recorded. Show the messages and select some.'}
        <FailureNote {...{ outbox, code, error }} />
      </div>
      <Group gap="xs">
        {onLook && (
          <Button
            variant="default"
            onClick={onLook}
            aria-label={`Show messages: ${code ?? 'no code'} of ${outbox}`}
          >
            Show messages
          </Button>
        )}
        {replayed && (
          <ReplayButton label={`Replay ${formatCount(count)}`} outbox={outbox} filter={replayed} />
        )}
      </Group>
    </Group>
  )
}

const CAUSE_COLUMNS: readonly Column<Cause>[] = [
  column.count('count', 'Dead', { width: '64px' }),
  {
    id: 'died',
    title: 'Died',
    width: '190px',
    narrow: 'hidden',
    cell: ({ firstDiedAt, lastDiedAt }) => (
      <>
        <Time at={firstDiedAt} />
        {lastDiedAt !== firstDiedAt && (
          <>
            {' '}
            to <Time at={lastDiedAt} />
          </>
        )}
      </>
    ),
  },
  { id: 'cause', title: 'Cause', cell: (cause) => <CauseCell {...cause} /> },
]

interface DeadRowsProps {
  readonly outbox: ListedOutbox
  readonly filter: DeadFilter
  /** How many match the filter. */
  readonly matching: number
}

/** The most that the API takes by their ids. */
const MOST_IDS = 1_000

/** The dead of one outbox, to be selected and replayed. */
function DeadRows({ outbox, filter, matching }: DeadRowsProps) {
  const { name, roles } = outbox
  if (roles.dead === null) {
    return (
      <Panel title="Rows">
        This outbox retries forever. The messages counted here are quarantined: see its{' '}
        <AnchorLink to="/messages" search={{ outbox: name }}>
          messages
        </AnchorLink>
        .
      </Panel>
    )
  }
  return <Selectable dead={roles.dead} {...{ outbox, filter, matching }} />
}

function Selectable({ dead, outbox, filter, matching }: DeadRowsProps & { readonly dead: string }) {
  const { name } = outbox
  const navigate = useNavigate()
  const selection = useSelection()
  const list = useMatchingMessages('dead-letters', { ...filter, outbox: name, status: dead })
  const columns = useMemo(
    () => columnsOf([outbox]).filter(({ id }) => !['state', 'outbox', 'due'].includes(id)),
    [outbox],
  )
  const table = useTable({ name: 'dead-letters', list, columns })
  const chosen = list.rows.filter(({ id }) => selection.has(id)).slice(0, MOST_IDS)
  return (
    <Panel
      title="Rows"
      actions={
        <Group gap="xs">
          <ReplayButton
            label={`Replay ${chosen.length === 0 ? '' : `${formatCount(chosen.length)} `}selected`}
            outbox={name}
            filter={{ ids: chosen.map(({ id }) => id) }}
            isDisabled={chosen.length === 0}
            onDone={selection.clear}
          />
          <ReplayButton
            label={`Replay all ${formatCount(matching)} matching`}
            outbox={name}
            filter={filter}
          />
        </Group>
      }
    >
      <DataTable
        label="Dead letters"
        {...table}
        idOf={({ id }) => id}
        selection={selection}
        onOpen={(row) =>
          void navigate({
            to: '/messages',
            search: { outbox: name, open: addressOf(row) },
          } as never)
        }
        height="420px"
        empty={<Empty title="No dead letters left">They have been replayed or cancelled.</Empty>}
      />
    </Panel>
  )
}

type Found = ItemOf<'/api/v1/outboxes/{name}/dead-letters'>

/** Dead messages of one outbox that were given up for the same reason. */
interface DeadGroup extends Found {
  readonly outbox: string
}

/** The dead messages of these outboxes by error code, the most frequent first. */
function useDeadGroups(outboxes: readonly string[], filter: DeadFilter) {
  const api = useApi()
  return useQueries({
    queries: outboxes.map((name) => ({
      queryKey: ['dead-letters', 'groups', name, filter],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<DeadGroup[]> => {
        const params = { path: { name }, query: filter }
        const asked = dataOf(api.GET('/api/v1/outboxes/{name}/dead-letters', { params, signal }))
        const { items } = await asked.catch((error: unknown) => noneIfUnkept(error))
        return items.map((group) => ({ ...group, outbox: name }))
      },
    })),
    combine: (queries) => ({
      groups: queries
        .flatMap(({ data }) => data ?? [])
        .toSorted((one, other) => other.count - one.count),
      isLoading: queries.some(({ isPending, error }) => isPending && error === null),
      error: queries.find(({ data, error }) => data === undefined && error !== null)?.error ?? null,
      reload: () => queries.forEach(({ refetch }) => void refetch()),
    }),
  })
}

/** An outbox that keeps no such field has no message that matches. */
function noneIfUnkept(error: unknown): { items: Found[] } {
  if (error instanceof ApiProblem && error.code === 'VALIDATION_FAILED') return { items: [] }
  throw error
}

import { Stack } from '@mantine/core'
import { formatCount } from '../../format/number.ts'
import { useFresh } from '../../live/use-fresh.ts'
import { useOutboxes, type OutboxOverview } from '../../outboxes/use-outboxes.ts'
import { Empty } from '../../parts/empty.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { FilterMoment } from '../../parts/filter-moment.tsx'
import { Loading } from '../../parts/loading.tsx'
import { MoreFilters } from '../../parts/more-filters.tsx'
import { NoMatch } from '../../parts/no-match.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { moment, text, useFilter, type Filter } from '../../parts/use-filter.ts'
import { DeadGroupCard } from './dead-group-card.tsx'
import { DeadRows } from './dead-rows.tsx'
import { useDeadGroups } from './use-dead-groups.ts'

const FILTER = { outbox: text, code: text, type: text, tenant: text, since: moment, until: moment }
const RARE = ['type', 'tenant', 'since', 'until'] as const

/** Messages that were given up: why, and how to send them again. */
export function DeadLetters() {
  const query = useOutboxes()
  const filter = useFilter(FILTER)
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
      lead="Messages that were given up, grouped by reason. Fix the cause, then replay: messages keep their ids."
    >
      <QueryState query={query}>
        {(outboxes) => (
          <>
            <FilterBar filter={filter}>
              <FilterSelect
                filter={filter}
                name="outbox"
                label="Outbox"
                options={outboxes.map(({ name }) => name)}
              />
              <FilterText filter={filter} name="code" label="Error code" />
              <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
                <FilterText filter={filter} name="type" label="Type" />
                <FilterText filter={filter} name="tenant" label="Organisation" />
                <FilterMoment filter={filter} name="since" label="Created after" />
                <FilterMoment filter={filter} name="until" label="Created before" />
              </MoreFilters>
            </FilterBar>
            <Groups outboxes={outboxes} filter={filter} />
          </>
        )}
      </QueryState>
    </PageFrame>
  )
}

interface GroupsProps {
  readonly outboxes: readonly OutboxOverview[]
  readonly filter: Filter<typeof FILTER>
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
      <Empty title="No dead letters">
        A message appears here when its outbox gives up on it, with the reason.
      </Empty>
    )
  }
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  const one = only === undefined ? undefined : chosen[0]
  return (
    <Stack gap="md">
      <div role="status">
        {formatCount(total)} {total === 1 ? 'message is' : 'messages are'} dead, for {groups.length}{' '}
        {groups.length === 1 ? 'reason' : 'reasons'}.
      </div>
      {groups.map((group) => (
        <DeadGroupCard
          key={`${group.outbox} ${group.code ?? ''}`}
          group={group}
          filter={rest}
          isAlone={groups.filter(({ outbox }) => outbox === group.outbox).length === 1}
          onLook={
            only === undefined || (rest.code === undefined && groups.length > 1)
              ? () => filter.set({ outbox: group.outbox, code: group.code ?? undefined })
              : undefined
          }
        />
      ))}
      {one !== undefined && <DeadRows outbox={one} filter={rest} matching={total} />}
    </Stack>
  )
}

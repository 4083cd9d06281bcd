import type { OutboxOverview } from '../../outboxes/use-outboxes.ts'
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { FilterMoment } from '../../parts/filter-moment.tsx'
import { MoreFilters } from '../../parts/more-filters.tsx'
import { moment, text, type Filter } from '../../parts/use-filter.ts'

export const MESSAGE_FILTER = {
  search: text,
  outbox: text,
  status: text,
  type: text,
  key: text,
  tenant: text,
  code: text,
  error: text,
  since: moment,
  until: moment,
}

const RARE = ['type', 'key', 'tenant', 'code', 'error', 'since', 'until'] as const

interface MessageFilterBarProps {
  readonly filter: Filter<typeof MESSAGE_FILTER>
  readonly outboxes: readonly OutboxOverview[]
}

/** The fields that narrow messages; the rarer ones come when they are wished for, or set. */
export function MessageFilterBar({ filter, outboxes }: MessageFilterBarProps) {
  const { outbox } = filter.values
  const ofThese = outboxes.filter(({ name }) => outbox === undefined || name === outbox)
  const states = [...new Set(ofThese.flatMap(({ states: words }) => words))]
  return (
    <FilterBar filter={filter}>
      <FilterText filter={filter} name="search" label="Search" />
      <FilterSelect
        filter={filter}
        name="outbox"
        label="Outbox"
        options={outboxes.map(({ name }) => name)}
      />
      <FilterSelect filter={filter} name="status" label="State" options={states} />
      <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
        <FilterText filter={filter} name="type" label="Type" />
        <FilterText filter={filter} name="key" label="Key" />
        <FilterText filter={filter} name="tenant" label="Organisation" />
        <FilterText filter={filter} name="code" label="Error code" />
        <FilterText filter={filter} name="error" label="Error text" />
        <FilterMoment filter={filter} name="since" label="Created after" />
        <FilterMoment filter={filter} name="until" label="Created before" />
      </MoreFilters>
    </FilterBar>
  )
}

import { Badge, Tabs } from '@mantine/core'
import { formatCount } from '../../format/number.ts'
import { oneOf, useFilter } from '../../parts/use-filter.ts'
import { Changes } from './changes.tsx'
import { ExceptionList } from './exception-list.tsx'
import { Missing } from './missing.tsx'
import { Records } from './records.tsx'
import type { Run } from './run.ts'
import { useCounts } from './use-counts.ts'
import { useMissing } from './use-missing.ts'

const REASON_TABS = [
  { tab: 'amount_mismatch', words: 'Amount differs' },
  { tab: 'currency_mismatch', words: 'Currency differs' },
  { tab: 'no_match', words: 'No match' },
  { tab: 'duplicate', words: 'Duplicates' },
] as const

const TABS = [
  'all',
  ...REASON_TABS.map(({ tab }) => tab),
  'missing',
  'suggestions',
  'records',
  'changes',
] as const

const FILTER = { tab: oneOf(TABS) }

/** What is open by its reason, what is missing, and everything else about a file. */
export function RunTabs({ run }: { run: Run }) {
  const { id } = run
  const filter = useFilter(FILTER)
  const { data: counts } = useCounts(id)
  const missing = useMissing(id)
  const missed = `${formatCount(missing.rows.length)}${missing.hasMore ? '+' : ''}`
  return (
    <Tabs
      value={filter.values.tab ?? 'all'}
      onChange={(tab) => filter.set({ tab: tab ?? undefined })}
      keepMounted={false}
    >
      <Tabs.List>
        <CountedTab value="all" words="All open" count={counts?.tabs['all']} />
        {REASON_TABS.map(({ tab, words }) => (
          <CountedTab key={tab} value={tab} words={words} count={counts?.reasons[tab]} />
        ))}
        <CountedTab value="missing" words="Missing payments" count={missed} />
        <CountedTab value="suggestions" words="Suggestions" count={counts?.tabs['suggested']} />
        <CountedTab value="records" words="All records" count={run.total} />
        <Tabs.Tab value="changes">Changes</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="all" pt="md">
        <ExceptionList id={id} narrowed={{}} />
      </Tabs.Panel>
      {REASON_TABS.map(({ tab }) => (
        <Tabs.Panel key={tab} value={tab} pt="md">
          <ExceptionList id={id} narrowed={{ reason: tab }} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="missing" pt="md">
        <Missing id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="suggestions" pt="md">
        <ExceptionList id={id} narrowed={{ tab: 'suggested' }} />
      </Tabs.Panel>
      <Tabs.Panel value="records" pt="md">
        <Records id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="changes" pt="md">
        <Changes run={run} />
      </Tabs.Panel>
    </Tabs>
  )
}

interface CountedTabProps {
  readonly value: string
  readonly words: string
  readonly count: number | string | undefined
}

function CountedTab({ value, words, count }: CountedTabProps) {
  return (
    <Tabs.Tab
      value={value}
      rightSection={
        count !== undefined && (
          <Badge size="sm" variant="default">
            {typeof count === 'number' ? formatCount(count) : count}
          </Badge>
        )
      }
    >
      {words}
    </Tabs.Tab>
  )
}

import { Badge, Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { Changes } from './changes.tsx'
import { useCounts } from './figures.tsx'
import { ExceptionList, Records } from './record-lists.tsx'
import type { PaymentSide, Run } from './run.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty } from '../../parts/notice.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { type List, useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf, useFilter } from '../../parts/use-filter.ts'

/** Payments that no record of a file names. */
export function useMissing(id: string): List<PaymentSide> {
  const api = useApi()
  return useList<PaymentSide>({
    queryKey: ['reconciliation', id, 'missing'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/missing', {
          params: { path: { id }, query: { ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
}

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

const COLUMNS: readonly Column<PaymentSide>[] = [
  {
    id: 'external',
    title: 'Bank id',
    cell: ({ externalPaymentId: id }) => (id === null ? '(none)' : <CopyId id={id} />),
  },
  {
    id: 'amount',
    title: 'Amount',
    width: '120px',
    align: 'right',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  { id: 'status', title: 'State', width: '100px', cell: ({ status }) => status },
  {
    id: 'id',
    title: 'Payment',
    narrow: 'hidden',
    cell: ({ id }) => <CopyId id={id} what="payment id" />,
  },
  {
    id: 'at',
    title: 'Created',
    width: '120px',
    narrow: 'hidden',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Payments that the bank does not speak of, newest first. */
function Missing({ id }: { id: string }) {
  const navigate = useNavigate()
  const list = useMissing(id)
  return (
    <DataTable
      label="Missing payments"
      list={list}
      columns={COLUMNS}
      idOf={(payment) => payment.id}
      onOpen={(payment) => void navigate({ to: '/payments', search: { open: payment.id } })}
      height="60vh"
      empty={
        <Empty title="No payment is missing">
          Every payment is in this file or in another one.
        </Empty>
      }
    />
  )
}

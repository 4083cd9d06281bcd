import { Badge, Group, NumberInput, Stack, Tabs, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Column,
  column,
  CopyId,
  DataTable,
  Empty,
  formatCount,
  oneOf,
  useFilter,
} from '@posthorn/dashboard/kit'
import { useCounts } from './figures.tsx'
import { ExceptionList, Records } from './record-lists.tsx'
import { type PaymentSide, type Period, type Run, useMissing } from './run.tsx'
import { Statements } from '../statements/statements.tsx'

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
  'statements',
] as const

const FILTER = { tab: oneOf(TABS) }

export function RunTabs({ run }: { run: Run }) {
  const { id } = run
  const filter = useFilter(FILTER)
  const counts = useCounts(id)
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
        {run.balances && <Tabs.Tab value="statements">Balances</Tabs.Tab>}
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
      <Tabs.Panel value="statements" pt="md">
        <Statements id={id} />
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
  column.money('amount', 'Amount', { width: '120px', align: 'right' }),
  column.text('status', 'State', { width: '100px' }),
  column.copy('id', 'Payment', { what: 'payment id', narrow: 'hidden' }),
  column.time('createdAt', 'Created', { clock: 'business', width: '132px' }),
]

/** Payments that are in no file of the bank, newest first. */
function Missing({ id }: { id: string }) {
  const navigate = useNavigate()
  const [period, setPeriod] = useState<Period>({})
  const list = useMissing(id, period)
  return (
    <Stack gap="sm">
      <PeriodFields period={period} onChange={setPeriod} />
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
    </Stack>
  )
}

interface PeriodFieldsProps {
  readonly period: Period
  readonly onChange: (period: Period) => void
}

/** The dates of the payments, and the days until one counts as missing. */
function PeriodFields({ period, onChange }: PeriodFieldsProps) {
  const set = (name: 'from' | 'to', value: string) => {
    const { [name]: _, ...rest } = period
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <Group gap="sm" align="end">
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={name === 'from' ? 'Paid from' : 'Paid until'}
          value={period[name] ?? ''}
          onChange={({ currentTarget }) => set(name, currentTarget.value)}
        />
      ))}
      <NumberInput
        label="Settlement time in business days"
        description="Monday to Friday; holidays count"
        value={period.settlesWithin ?? 0}
        onChange={(days) => onChange({ ...period, settlesWithin: Number(days) || 0 })}
        min={0}
        max={366}
        allowDecimal={false}
        w={200}
      />
    </Group>
  )
}

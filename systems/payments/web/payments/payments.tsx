import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { parseMoney } from '../../format/money.ts'
import { GatewayCharts } from './gateway-charts.tsx'
import { PaymentDetails } from './payment-details.tsx'
import { PaymentForm } from './payment-form.tsx'
import { type Payment, DISPUTE_ROLES, PAYMENT_ROLES, PAYMENT_STATES } from './payment.ts'
import { SectionFrame } from '../../parts/section-frame.tsx'
import { PAYMENTS } from '../sections.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { neighboursOf } from '../../parts/neighbours.ts'
import { Empty } from '../../parts/notice.tsx'
import {
  FilterMoment,
  FilterMoney,
  FilterSelect,
  FilterText,
  MoreFilters,
} from '../../parts/filter-bar.tsx'
import { Money } from '../../parts/money.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useTable } from '../../parts/table/layout.ts'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type FilterField, moment, oneOf, text } from '../../parts/use-filter.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { useRefresh } from '../../parts/use-refresh.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'

/** The webhook of a payment is on no stream: what waits for one is looked at so often. */
const EVERY_MS = 3_000

/** Payments that others make appear at least so often. */
const OTHERS_MS = 15_000

const currencyCode: FilterField = (value) =>
  /^[a-z]{3}$/i.test(value.trim()) ? value.trim().toUpperCase() : undefined

const FILTER = {
  status: oneOf(PAYMENT_STATES),
  externalPaymentId: text,
  gatewayRef: text,
  disputed: oneOf(['true', 'false']),
  currency: currencyCode,
  least: text,
  most: text,
  since: moment,
  until: moment,
}
const RARE = ['disputed', 'currency', 'least', 'most', 'since', 'until'] as const

/** An amount of the filter in minor units; undefined without a currency, or for what is none. */
function amountOf(typed: string | undefined, currency: string | undefined): number | undefined {
  return typed === undefined || currency === undefined ? undefined : parseMoney(typed, currency)
}

const COLUMNS: readonly Column<Payment>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '120px',
    cell: ({ status }) => <StateBadge state={status} role={PAYMENT_ROLES[status]} />,
  },
  {
    id: 'amount',
    title: 'Amount',
    sortBy: ({ amount }) => amount,
    width: 'minmax(90px, 0.7fr)',
    align: 'right',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  {
    id: 'what',
    title: 'Description',
    sortBy: ({ externalPaymentId, description }) => externalPaymentId ?? description,
    width: 'minmax(0, 1.5fr)',
    cell: ({ externalPaymentId, description }) => externalPaymentId ?? description ?? '–',
  },
  {
    id: 'gateway',
    title: 'Gateway reference',
    sortBy: ({ gatewayRef }) => gatewayRef,
    width: '210px',
    narrow: 'hidden',
    cell: ({ gatewayRef }) =>
      gatewayRef === null ? '–' : <CopyId id={gatewayRef} what="reference" shown={20} />,
  },
  {
    id: 'dispute',
    title: 'Dispute',
    width: '110px',
    narrow: 'hidden',
    cell: ({ disputeStatus }) =>
      disputeStatus === null ? (
        ''
      ) : (
        <StateBadge state={disputeStatus} role={DISPUTE_ROLES[disputeStatus]} />
      ),
  },
  {
    id: 'error',
    title: 'Error',
    sortBy: ({ errorCode }) => errorCode,
    width: 'minmax(0, 1fr)',
    cell: ({ errorCode }) => errorCode ?? '',
  },
  {
    id: 'user',
    title: 'By',
    sortBy: ({ userId }) => userId,
    narrow: 'hidden',
    cell: ({ userId }) => userId,
  },
  {
    id: 'made',
    title: 'Created',
    sortBy: ({ createdAt }) => createdAt,
    width: '140px',
    cell: ({ createdAt }) => <Time at={createdAt} clock="business" />,
  },
]

/** What was taken, and given back. */
export function Payments() {
  const api = useApi()
  const opened = useOpened()
  const [isMaking, making] = useDisclosure(false)
  const { filter, list } = useFilteredList({
    queryKey: ['payments', 'list'],
    fields: FILTER,
    name: 'payments',
    sorts: { amount: 'amount', made: 'createdAt' },
    read: ({ least, most, disputed, ...rest }, signal) => {
      const amountFrom = amountOf(least, rest.currency)
      const amountTo = amountOf(most, rest.currency)
      const query = {
        ...rest,
        ...(amountFrom !== undefined && { amountFrom }),
        ...(amountTo !== undefined && { amountTo }),
        ...(disputed !== undefined && { disputed: disputed === 'true' }),
      }
      return dataOf(api.GET('/api/v1/payments', { params: { query }, signal }))
    },
  })
  const isPending = list.rows.some(({ status }) => status === 'pending')
  const table = useTable({ name: 'payments', list, columns: COLUMNS })
  useRefresh(['payments', 'list'], isPending ? EVERY_MS : OTHERS_MS)
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false
  const hasCharts = list.rows.length > 0 || filter.isSet
  return (
    <SectionFrame
      section={PAYMENTS}
      lead="Charges and refunds. A payment has succeeded when the gateway’s webhook says so."
      actions={
        <PermittedButton to="write" onClick={making.open}>
          New payment
        </PermittedButton>
      }
    >
      {hasCharts && !isPhone && <GatewayCharts />}
      <FilteredTable
        filter={filter}
        label="Payments"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ id }) => opened.open(id)}
        opened={opened.id}
        empty={
          <Empty
            title="No payments yet"
            action={
              <PermittedButton to="write" mt="xs" variant="default" onClick={making.open}>
                Create the first payment
              </PermittedButton>
            }
          >
            Create payments by POST /api/v1/payments, or here.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={PAYMENT_STATES} />
        <FilterText filter={filter} name="externalPaymentId" label="Your id" />
        <FilterText filter={filter} name="gatewayRef" label="Gateway reference" />
        <MoreFilters isSet={RARE.some((name) => filter.values[name] !== undefined)}>
          <FilterSelect
            filter={filter}
            name="disputed"
            label="Dispute"
            options={[
              { value: 'true', label: 'disputed' },
              { value: 'false', label: 'not disputed' },
            ]}
          />
          <FilterText filter={filter} name="currency" label="Currency" />
          <FilterMoney filter={filter} name="least" label="Amount from" />
          <FilterMoney filter={filter} name="most" label="Amount to" />
          <FilterMoment filter={filter} name="since" label="Created after" />
          <FilterMoment filter={filter} name="until" label="Created before" />
        </MoreFilters>
        <SavedViews filter={filter} page="payments" layout={table.layout} />
      </FilteredTable>
      {/* A phone shows what one came for first. */}
      {hasCharts && isPhone && <GatewayCharts />}
      <PaymentForm
        isOpen={isMaking}
        onClose={making.close}
        onMade={(id) => {
          making.close()
          opened.open(id)
        }}
      />
      <DetailDrawer
        isOpen={opened.id !== undefined}
        onClose={opened.close}
        title="Payment"
        neighbours={neighboursOf(table.list.rows, ({ id }) => id, opened)}
      >
        {opened.id !== undefined && <PaymentDetails key={opened.id} id={opened.id} />}
      </DetailDrawer>
    </SectionFrame>
  )
}

import { useDisclosure } from '@mantine/hooks'
import {
  type Column,
  CopyId,
  dataOf,
  DetailDrawer,
  Empty,
  FilteredTable,
  type FilterField,
  FilterMoment,
  FilterMoney,
  FilterSelect,
  FilterText,
  moment,
  Money,
  MoreFilters,
  neighboursOf,
  oneOf,
  parseMoney,
  PermittedButton,
  SavedViews,
  SectionFrame,
  StateBadge,
  text,
  Time,
  useApi,
  useFilteredList,
  useOpened,
  useRefresh,
  useTable,
} from '@posthorn/dashboard/kit'
import { PaymentDetails } from './payment-details.tsx'
import { PaymentForm } from './payment-form.tsx'
import { type Payment, DISPUTE_ROLES, PAYMENT_ROLES, PAYMENT_STATES } from './payment.ts'

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
  return (
    <SectionFrame
      lead="Charges and refunds. A payment has succeeded when the gateway’s webhook says so."
      actions={
        <PermittedButton to="write" onClick={making.open}>
          New payment
        </PermittedButton>
      }
    >
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

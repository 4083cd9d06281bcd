import {
  type Column,
  column,
  dataOf,
  DialogButton,
  Empty,
  FilteredTable,
  type FilterField,
  parseMoney,
  SavedViews,
  PageFrame,
  StateBadge,
  useApi,
  useFilteredList,
  useOpened,
  useRefresh,
  field,
} from '@posthorn/dashboard/kit'
import { PaymentDetails } from './payment-details.tsx'
import { PaymentForm } from './payment-form.tsx'
import { type Payment, DISPUTE_ROLES, PAYMENT_ROLES, PAYMENT_STATES } from './payment.ts'

/** The event stream does not announce payments: pending ones are read this often. */
const EVERY_MS = 3_000

/** How often payments of others are read. */
const OTHERS_MS = 15_000

const currencyCode: FilterField = (value) =>
  /^[a-z]{3}$/i.test(value.trim()) ? value.trim().toUpperCase() : undefined

const FILTER = {
  status: field.choice('State', PAYMENT_STATES),
  externalPaymentId: field.text('Your id'),
  gatewayRef: field.text('Gateway reference'),
  disputed: field.choice(
    'Dispute',
    [
      { value: 'true', label: 'disputed' },
      { value: 'false', label: 'not disputed' },
    ],
    { rare: true },
  ),
  currency: field.own('Currency', currencyCode, { rare: true }),
  least: field.money('Amount from', { rare: true }),
  most: field.money('Amount to', { rare: true }),
  since: field.moment('Created after', { rare: true }),
  until: field.moment('Created before', { rare: true }),
}

/** An amount of the filter in minor units; undefined without a currency, or if it is not an amount. */
function amountOf(typed: string | undefined, currency: string | undefined): number | undefined {
  return typed === undefined || currency === undefined ? undefined : parseMoney(typed, currency)
}

const COLUMNS: readonly Column<Payment>[] = [
  column.state('status', 'State', { roles: PAYMENT_ROLES, width: '120px' }),
  column.money('amount', 'Amount', { width: 'minmax(90px, 0.7fr)', align: 'right' }),
  {
    id: 'what',
    title: 'Description',
    sortBy: ({ externalPaymentId, description }) => externalPaymentId ?? description,
    width: 'minmax(0, 1.5fr)',
    cell: ({ externalPaymentId, description }) => externalPaymentId ?? description ?? '–',
  },
  column.copy('gatewayRef', 'Gateway reference', {
    id: 'gateway',
    width: '210px',
    narrow: 'hidden',
    what: 'reference',
    shown: 20,
  }),
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
  column.text('errorCode', 'Error', { id: 'error', width: 'minmax(0, 1fr)' }),
  column.text('userId', 'By', { id: 'user', narrow: 'hidden' }),
  column.time('createdAt', 'Created', { id: 'made', clock: 'business', width: '140px' }),
]

export function Payments() {
  const api = useApi()
  const opened = useOpened()
  const page = useFilteredList({
    queryKey: ['payments', 'list'],
    fields: FILTER,
    columns: COLUMNS,
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
  const isPending = page.list.rows.some(({ status }) => status === 'pending')
  useRefresh(['payments', 'list'], isPending ? EVERY_MS : OTHERS_MS)
  return (
    <PageFrame
      lead="Charges and refunds. A payment has succeeded when the gateway’s webhook says so."
      actions={
        <DialogButton to="write" label="New payment" title="New payment">
          {(close) => <PaymentForm onClose={close} onMade={opened.open} />}
        </DialogButton>
      }
    >
      <FilteredTable
        {...page}
        label="Payments"
        empty={
          <Empty title="No payments yet">
            Payments made by <code>POST /api/v1/payments</code> or from here are listed.
          </Empty>
        }
        drawer="Payment"
        renderDetails={(id) => <PaymentDetails id={id} />}
      >
        <SavedViews filter={page.filter} page="payments" layout={page.layout} />
      </FilteredTable>
    </PageFrame>
  )
}

import { useNavigate } from '@tanstack/react-router'
import { CopyId } from '../../parts/copy-id.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Money } from '../../parts/money.tsx'
import type { Column } from '../../parts/table/column.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import type { PaymentSide } from './run.ts'
import { useMissing } from './use-missing.ts'

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
export function Missing({ id }: { id: string }) {
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

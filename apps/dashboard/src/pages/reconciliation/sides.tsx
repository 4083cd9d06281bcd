import { Table, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatMoney } from '../../format/money.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import type { PaymentSide, RecordDetails } from './run.ts'
import classes from './sides.module.css'

/** The payments that a record has, else the one that comes nearest. */
function paymentsBeside(record: RecordDetails): readonly PaymentSide[] {
  const { paymentIds, history, payments } = record
  const ids = paymentIds.length > 0 ? paymentIds : [history[0]?.paymentId]
  return payments.filter(({ id }) => ids.includes(id))
}

/** What the bank says beside what was taken; what differs is marked and said. */
export function Sides({ record }: { record: RecordDetails }) {
  const [payment, ...others] = paymentsBeside(record)
  const { adjustment } = record
  return (
    <div>
      <Table className={classes['sides'] ?? ''} layout="fixed" aria-label="Both sides">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={96} />
            <Table.Th>Bank</Table.Th>
            <Table.Th>{record.status === 'matched' ? 'Payment' : 'Nearest payment'}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Side
            name="Id"
            bank={<CopyId id={record.externalTransactionId} />}
            ours={
              payment?.externalPaymentId == null ? '–' : <CopyId id={payment.externalPaymentId} />
            }
            differs={payment && payment.externalPaymentId !== record.externalTransactionId}
          />
          <Side
            name="Amount"
            bank={formatMoney(record.amount, record.currency)}
            ours={payment ? formatMoney(payment.amount, payment.currency) : '–'}
            differs={payment && payment.amount !== record.amount}
          />
          <Side
            name="Currency"
            bank={record.currency}
            ours={payment?.currency ?? '–'}
            differs={payment && payment.currency !== record.currency}
          />
          <Side
            name="Day"
            bank={record.bookedOn}
            ours={payment?.createdAt.slice(0, 10) ?? '–'}
            differs={false}
          />
          <Side name="State" bank={record.status} ours={payment?.status ?? '–'} differs={false} />
          {payment && (
            <Side
              name="Payment"
              bank=""
              ours={
                <AnchorLink
                  to="/payments"
                  search={{ open: payment.id }}
                  title={payment.id}
                  size="sm"
                >
                  {payment.id.slice(0, 13)}…
                </AnchorLink>
              }
              differs={false}
            />
          )}
        </Table.Tbody>
      </Table>
      {others.map(({ id, amount, currency }) => (
        <Text key={id} size="sm" mt={4} component="div">
          and {formatMoney(amount, currency)} of{' '}
          <AnchorLink to="/payments" search={{ open: id }}>
            {id.slice(0, 13)}…
          </AnchorLink>
        </Text>
      ))}
      {adjustment !== null && (
        <Text size="sm" mt={4}>
          {adjustment.kind === 'other' ? 'The difference' : `The difference, as ${adjustment.kind}`}
          : {formatMoney(adjustment.amount, record.currency)}
        </Text>
      )}
      {record.duplicateOf !== null && (
        <Text size="sm" mt={4}>
          Line {record.duplicateOf} is the same.
        </Text>
      )}
    </div>
  )
}

interface SideProps {
  readonly name: string
  readonly bank: ReactNode
  readonly ours: ReactNode
  readonly differs: boolean | undefined
}

function Side({ name, bank, ours, differs = false }: SideProps) {
  return (
    <Table.Tr data-differs={differs || undefined}>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>{bank}</Table.Td>
      <Table.Td>
        {ours}
        {differs && (
          <span className={classes['differs']}>
            <IconAlertTriangle size={13} aria-hidden /> differs
          </span>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

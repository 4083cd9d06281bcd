import { Group, Stack, Text } from '@mantine/core'
import {
  ActButton,
  AnchorLink,
  type Column,
  column,
  CopyId,
  dataOf,
  DataTable,
  DetailDrawer,
  formatMoney,
  neighboursOf,
  post,
  QueryState,
  Related,
  StateBadge,
  Timeline,
  useApi,
  useOpened,
  useRead,
  Part,
} from '@posthorn/dashboard/kit'
import { type ReactNode, useMemo, useState } from 'react'
import { MatchButton, type RecordProps, Suggestions } from './matching.tsx'
import { type PaymentSide, REASON_LOOKS, ReasonBadge, type RecordDetails } from './run.tsx'

function RecordView({ runId, recordId }: { runId: string; recordId: string }) {
  const query = useRead(
    '/api/v1/reconciliations/{id}/records/{recordId}',
    ['reconciliation', runId, 'record', recordId],
    { params: { path: { id: runId, recordId } } },
  )
  return (
    <QueryState query={query}>
      {(record) => (
        <Stack gap="md">
          <Text size="sm" component="div">
            <ReasonBadge reason={record.reason} />{' '}
            {record.reason === null
              ? 'Run the file to have it compared.'
              : REASON_LOOKS[record.reason].note}
          </Text>
          <Sides record={record} />
          {record.reason !== null && <Decisions runId={runId} record={record} />}
          {record.status === 'unmatched' && <Suggestions runId={runId} record={record} />}
          <Related id={`${runId}/${recordId}`} except={['statement line']} />
          <History record={record} />
        </Stack>
      )}
    </QueryState>
  )
}

function History({ record: { history } }: { record: RecordDetails }) {
  if (history.length === 0) return null
  return (
    <Part title="History">
      <Timeline
        clock="business"
        entries={history.map(({ runNo, reason, note, actor, createdAt }, index) => ({
          id: `${index}`,
          at: createdAt,
          role: REASON_LOOKS[reason].role,
          what: `${REASON_LOOKS[reason].word}, ${actor === null ? `run ${runNo}` : `by ${actor}`}`,
          ...(note !== null && { details: note }),
        }))}
      />
    </Part>
  )
}

const KINDS = {
  unmatch: {
    label: 'Unmatch',
    done: 'unmatched',
    means: 'Its payments become available, and runs skip it until it is reopened.',
  },
  ignore: {
    label: 'Ignore',
    done: 'ignored',
    means: 'It is no longer an exception and runs skip it. It can be reopened.',
  },
  reopen: {
    label: 'Reopen',
    done: 'reopened',
    means: 'The next run includes it again.',
  },
} as const

type Kind = keyof typeof KINDS

function kindsFor({ status, decidedBy }: RecordDetails): readonly Kind[] {
  if (status === 'matched') return ['unmatch']
  if (decidedBy === 'ignored') return ['reopen']
  return decidedBy === null ? ['ignore'] : ['ignore', 'reopen']
}

function Decisions({ runId, record }: RecordProps) {
  return (
    <Group gap="xs">
      {record.status === 'unmatched' && <MatchButton runId={runId} record={record} />}
      {kindsFor(record).map((kind) => (
        <Decision key={kind} kind={kind} runId={runId} record={record} />
      ))}
    </Group>
  )
}

function Decision({ kind, runId, record }: RecordProps & { readonly kind: Kind }) {
  const api = useApi()
  const { label, done, means } = KINDS[kind]
  return (
    <ActButton
      label={label}
      title={`${label} line ${record.lineNumber}?`}
      reason="required"
      run={(reason = '') => {
        const params = { path: { id: runId, recordId: record.id } }
        const body = { reason, version: record.version }
        const path = '/api/v1/reconciliations/{id}/records/{recordId}' as const
        if (kind === 'unmatch') return dataOf(api.POST(`${path}/unmatch`, { params, body }))
        if (kind === 'ignore') return dataOf(api.POST(`${path}/ignore`, { params, body }))
        return post(`${path}/reopen`, { ...params, body })
      }}
      done={(answer) =>
        'proposedBy' in answer
          ? 'Proposed: another user has to approve it.'
          : `Line ${record.lineNumber} is ${done}.`
      }
      changes={['reconciliation']}
    >
      {means}
    </ActButton>
  )
}

/** The payments of a record, else the nearest one. */
function paymentsBeside(record: RecordDetails): readonly PaymentSide[] {
  const { paymentIds, matchedPaymentId, history, payments } = record
  const ids = paymentIds.length > 0 ? paymentIds : [matchedPaymentId ?? history[0]?.paymentId]
  return payments.filter(({ id }) => ids.includes(id))
}

const STANDS_FOR = {
  payment: 'Payment',
  part: 'Payment, of which this is a part',
  refund: 'Payment that was refunded',
  dispute: 'Payment that was disputed',
  none: 'Nearest payment',
} as const

function wentBack({ matchedAs }: RecordDetails): boolean {
  return matchedAs === 'refund' || matchedAs === 'dispute'
}

/** The bank's record next to the payment; differences are marked. */
function Sides({ record }: { record: RecordDetails }) {
  const [payment, ...others] = paymentsBeside(record)
  const { adjustment } = record
  return (
    <div>
      <DataTable
        label="Both sides"
        list={sidesOf(record, payment)}
        columns={sideColumns(STANDS_FOR[record.matchedAs ?? 'none'])}
        idOf={({ name }) => name}
        tall
      />
      {others.map(({ id, amount, currency }) => (
        <Text key={id} size="sm" mt={4} component="div">
          and {formatMoney(amount, currency)} of{' '}
          <AnchorLink to="/payments" search={{ open: id }}>
            {id.slice(0, 13)}…
          </AnchorLink>
        </Text>
      ))}
      {(['refund', 'dispute'] as const).map((kind) => {
        const ids = record[`${kind}Ids`]
        if (ids.length === 0) return null
        return (
          <Text key={kind} size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
            {wentBack(record) ? 'Of the' : 'Less the'} {kind} {ids.join(', ')}
          </Text>
        )
      })}
      {record.fee !== null && (
        <Text size="sm" mt={4}>
          Gross {formatMoney(record.gross, record.currency)}, fee{' '}
          {formatMoney(record.fee, record.currency)}, net{' '}
          {formatMoney(record.amount, record.currency)}
        </Text>
      )}
      {adjustment !== null && adjustment.kind !== 'fee' && (
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

const DIFFERS = { state: 'differs', role: 'failing' } as const

interface Side {
  readonly name: string
  readonly bank: ReactNode
  readonly ours: ReactNode
  readonly differs?: boolean
}

function sideColumns(title: string): readonly Column<Side>[] {
  return [
    column.text('name', ' ', { width: '96px' }),
    column.text('bank', 'Bank', { width: 'minmax(110px, 1fr)' }),
    {
      id: 'ours',
      title,
      width: 'minmax(140px, 1.4fr)',
      isBold: ({ differs }) => differs === true,
      cell: ({ ours, differs }) => (
        <>
          {ours} {differs && <StateBadge {...DIFFERS} />}
        </>
      ),
    },
  ]
}

function sidesOf(record: RecordDetails, payment: PaymentSide | undefined): readonly Side[] {
  const { externalTransactionId: id, amount, currency } = record
  const bank = [
    { name: 'Id', bank: <CopyId id={id} /> },
    { name: 'Amount', bank: formatMoney(amount, currency) },
    { name: 'Currency', bank: currency },
    { name: 'Day', bank: record.bookedOn },
    { name: 'State', bank: record.status },
  ]
  if (payment === undefined) return bank.map((side) => ({ ...side, ours: '–' }))
  const { externalPaymentId } = payment
  const ours = [
    {
      ours: externalPaymentId === null ? '–' : <CopyId id={externalPaymentId} />,
      differs: externalPaymentId !== id,
    },
    {
      ours: formatMoney(payment.amount, payment.currency),
      differs: !wentBack(record) && payment.amount !== amount,
    },
    { ours: payment.currency, differs: payment.currency !== currency },
    { ours: payment.createdAt.slice(0, 10) },
    { ours: payment.status },
  ]
  const link = (
    <AnchorLink to="/payments" search={{ open: payment.id }} title={payment.id} size="sm">
      {payment.id.slice(0, 13)}…
    </AnchorLink>
  )
  return [
    ...bank.map((side, i) => ({ ours: '–', ...side, ...ours[i] })),
    { name: 'Payment', bank: '', ours: link },
  ]
}

interface RecordDrawerProps<Row> {
  readonly runId: string
  /** Those of the table that it stands beside, in its order. */
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
}

/** The open record of a table. A decided record leaves the table, but the drawer keeps its place among its neighbours. */
export function RecordDrawer<Row>({ runId, rows, idOf }: RecordDrawerProps<Row>) {
  const opened = useOpened()
  const { id } = opened
  const listed = useMemo(() => new Set(rows.map(idOf)), [rows, idOf])
  const [seen, setSeen] = useState(listed)
  if (id !== undefined && seen !== listed && listed.has(id)) setSeen(listed)
  const left = useMemo(
    () => [...seen].filter((each) => each === id || listed.has(each)),
    [seen, listed, id],
  )
  return (
    <DetailDrawer
      isOpen={id !== undefined}
      onClose={opened.close}
      title={`Line ${id ?? ''}`}
      neighbours={neighboursOf(left, (each) => each, opened)}
    >
      {id !== undefined && <RecordView key={id} runId={runId} recordId={id} />}
    </DetailDrawer>
  )
}

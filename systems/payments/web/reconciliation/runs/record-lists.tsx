import { Group, Stack, Text } from '@mantine/core'
import {
  ActButton,
  type Api,
  type Column,
  column,
  dataOf,
  DataTable,
  Empty,
  field,
  FilteredTable,
  countOf,
  formatCount,
  Money,
  outcomeOf,
  type paths,
  useApi,
  useFilteredList,
  useListOf,
  useOpened,
  useSelection,
} from '@posthorn/dashboard/kit'
import {
  type Exception,
  type Listed,
  type Reason,
  REASON_LOOKS,
  ReasonBadge,
  REASONS,
} from './run.tsx'
import { RecordDrawer } from './record-view.tsx'

const EXCEPTION_COLUMNS: readonly Column<Exception>[] = [
  { id: 'line', title: 'Line', width: '48px', cell: ({ record }) => record.lineNumber },
  {
    id: 'external',
    title: 'Transaction id',
    width: 'minmax(88px, 1.4fr)',
    cell: ({ record: { externalTransactionId: id } }) => <span title={id}>{id}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: '130px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  { id: 'booked', title: 'Booked', width: '88px', cell: ({ record }) => record.bookedOn },
  column.text('age', 'Age', { width: '52px', narrow: 'hidden' }),
  {
    id: 'suggestions',
    title: 'Suggested',
    width: '76px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ suggestions }) => suggestions || '–',
  },
  {
    id: 'amount',
    title: 'Bank amount',
    width: '104px',
    align: 'right',
    cell: ({ record }) => <Money minor={record.amount} currency={record.currency} />,
  },
  {
    id: 'payment',
    title: 'Our amount',
    width: '104px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ payment }) =>
      payment === null ? '–' : <Money minor={payment.amount} currency={payment.currency} />,
  },
]

const idOfException = ({ record }: Exception) => record.id
const idOfRecord = ({ id }: Listed) => id

interface ExceptionListProps {
  readonly id: string
  readonly narrowed: { readonly tab?: 'suggested'; readonly reason?: Reason }
}

export function ExceptionList({ id, narrowed }: ExceptionListProps) {
  const opened = useOpened()
  const selection = useSelection()
  const list = useListOf(
    '/api/v1/reconciliations/{id}/exceptions',
    ['reconciliation', id, 'exceptions', narrowed],
    { path: { id }, query: narrowed },
  )
  const chosen = list.rows.filter(({ record }) => selection.has(record.id))
  return (
    <Stack gap="sm">
      <BulkActions id={id} chosen={chosen} onDone={selection.clear} />
      <DataTable
        label="Exceptions"
        list={list}
        selection={selection}
        columns={EXCEPTION_COLUMNS}
        idOf={idOfException}
        onOpen={({ record }) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={
          narrowed.tab === 'suggested' ? (
            <Empty title="No suggestions">
              “Find suggestions” above searches for payments that nearly match.
            </Empty>
          ) : (
            <Empty title="No open exceptions">No record of this file waits for a decision.</Empty>
          )
        }
      />
      <RecordDrawer runId={id} rows={list.rows} idOf={idOfException} />
    </Stack>
  )
}

const OPTIONS = REASONS.map((reason) => ({ value: reason, label: REASON_LOOKS[reason].word }))
const FILTER = { reason: field.choice('Reason', OPTIONS) }

const RECORD_COLUMNS: readonly Column<Listed>[] = [
  column.text('lineNumber', 'Line', { width: '60px' }),
  column.text('externalTransactionId', 'Transaction id', { width: 'minmax(80px, 1.4fr)' }),
  {
    id: 'reason',
    title: 'Reason',
    width: '160px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  column.money('amount', 'Amount', { width: '120px', align: 'right' }),
  column.text('bookedOn', 'Booked', { width: '110px' }),
  column.text('decidedBy', 'Decided', { none: '–', width: '90px' }),
]

/** Every record of a file, in its order. */
export function Records({ id }: { id: string }) {
  const api = useApi()
  const opened = useOpened()
  const page = useFilteredList({
    queryKey: ['reconciliation', id, 'records'],
    fields: FILTER,
    columns: RECORD_COLUMNS,
    read: (query, signal) => {
      const params = { path: { id }, query }
      return dataOf(api.GET('/api/v1/reconciliations/{id}/records', { params, signal }))
    },
  })
  return (
    <Stack gap="sm">
      <FilteredTable
        {...page}
        label="Records"
        onOpen={(record) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={<Empty title="No records">The file has none.</Empty>}
      />
      <RecordDrawer runId={id} rows={page.list.rows} idOf={idOfRecord} />
    </Stack>
  )
}

type Route = paths['/api/v1/reconciliations/{id}/decisions']['post']
type Decided = Route['responses'][200]['content']['application/json']
type Asked = Route['requestBody']['content']['application/json']['decisions'][number]

/** More are refused by the server. */
const MOST = 500

interface BulkActionsProps {
  readonly id: string
  readonly chosen: readonly Exception[]
  readonly onDone: () => void
}

export function BulkActions({ id, chosen, onDone }: BulkActionsProps) {
  const decide = (find: (api: Api) => Promise<Asked[]>) => ({
    reason: 'required' as const,
    run:
      (reason = '') =>
      async (api: Api) => {
        const decisions = (await find(api)).slice(0, MOST)
        if (decisions.length === 0) throw new Error('No selected line has its own suggestion.')
        const params = { path: { id } }
        const body = { reason, decisions }
        return dataOf(api.POST('/api/v1/reconciliations/{id}/decisions', { params, body }))
      },
    done: ({ applied, refused }: Decided) =>
      outcomeOf({
        what: `${formatCount(applied.length)} done${refused.length > 0 ? `, ${formatCount(refused.length)} not:` : '.'}`,
        refused: refused.map(({ recordId, detail }) => ({
          name: recordId === undefined ? 'a suggestion' : `line ${recordId}`,
          reason: detail,
        })),
      }),
    isGood: ({ refused }: Decided) => refused.length === 0,
    changes: ['reconciliation'],
    onDone,
  })
  const lines = countOf(chosen.length, 'line')
  const suggested = chosen.filter(({ suggestions }) => suggestions > 0)
  if (chosen.length === 0) return null
  return (
    <Group gap="xs">
      <Text size="sm">{lines} selected</Text>
      <ActButton
        {...decide(async () => chosen.map(ignoring))}
        label={`Ignore ${lines}`}
        title={`Ignore ${lines}?`}
        verb={`Ignore ${formatCount(chosen.length)}`}
      >
        They are no longer exceptions, and runs skip them. They can be reopened.
      </ActButton>
      {suggested.length > 0 && (
        <ActButton
          {...decide((api) => findSuggested(api, id, suggested))}
          label={`Accept ${formatCount(suggested.length)} suggested`}
          title={`Match ${countOf(suggested.length, 'line')} as suggested?`}
          verb={`Accept ${formatCount(suggested.length)}`}
        >
          Only suggestions without other candidates are accepted. Every match can be undone.
        </ActButton>
      )}
    </Group>
  )
}

function ignoring({ record }: Exception): Asked {
  return { do: 'ignore', recordId: record.id, version: record.version }
}

/** The unambiguous suggestions of these lines. */
async function findSuggested(api: Api, id: string, of: readonly Exception[]): Promise<Asked[]> {
  const wanted = new Set(of.map(({ record }) => record.id))
  const found: Asked[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: 200, ...(cursor && { cursor }) }
    const page = await dataOf(
      api.GET('/api/v1/reconciliations/{id}/suggestions', { params: { path: { id }, query } }),
    )
    for (const { id: suggestionId, recordId, ambiguous } of page.items) {
      if (!ambiguous && wanted.has(recordId)) found.push({ do: 'accept', suggestionId })
    }
    cursor = page.nextCursor
  } while (cursor !== null && found.length < MOST)
  return found
}

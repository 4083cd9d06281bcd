import { Alert, List, Text } from '@mantine/core'
import {
  type Column,
  column,
  dataOf,
  DataTable,
  Empty,
  formatCount,
  formatMoney,
  Money,
  QueryState,
  StateBadge,
  type StateBadgeProps,
  useApi,
  useListOf,
} from '@posthorn/dashboard/kit'
import { FORMAT_WORDS, type Run, type Statement } from '../runs/run.tsx'
import { useQuery } from '@tanstack/react-query'
import type { Rules } from './rules.ts'

type Figure = 'opening' | 'booked' | 'closing' | 'difference'

function money(statement: Statement, figure: Figure): string {
  const minor = statement[figure]
  return minor === null ? 'not stated' : formatMoney(minor, statement.currency)
}

function gapOf({ first, last }: NonNullable<Statement['missing']>): StateBadgeProps {
  const numbers = first === last ? first : `${first} to ${last}`
  return { state: `No. ${numbers} missing`, role: 'retry' }
}

/**
 * Whether opening balance and entries give the closing balance; if not, by how much. And which
 * statements of the account are missing before this one.
 */
function TieOut({ statement }: { statement: Statement }) {
  const { tiesOut, reason, missing } = statement
  return (
    <span title={tiesOut === true ? undefined : (reason ?? undefined)}>
      <StateBadge {...lookOf(statement)} />
      {missing !== null && <StateBadge {...gapOf(missing)} />}
    </span>
  )
}

function lookOf(statement: Statement): StateBadgeProps {
  if (statement.tiesOut === null) return { state: 'not known', role: 'retry' }
  if (statement.tiesOut) return { state: 'ties out', role: 'confirmed' }
  return { state: `off by ${money(statement, 'difference')}`, role: 'dead' }
}

const figure = (title: string, name: Figure) => ({
  id: name,
  title,
  align: 'right' as const,
  cell: (statement: Statement) => money(statement, name),
})

const BALANCE_COLUMNS: readonly Column<Statement>[] = [
  { id: 'account', title: 'Account', cell: ({ account, statementId }) => account ?? statementId },
  figure('Opening', 'opening'),
  figure('Entries', 'booked'),
  figure('Closing', 'closing'),
  { id: 'ties', title: 'Balances', cell: (statement) => <TieOut statement={statement} /> },
]

const COLUMNS: readonly Column<Statement>[] = [
  {
    id: 'account',
    title: 'Account',
    width: 'minmax(90px, 1.4fr)',
    cell: ({ account, statementId }) => <span title={statementId}>{account ?? statementId}</span>,
  },
  { width: '130px', narrow: 'hidden', ...figure('Opening', 'opening') },
  column.count('entries', 'Entries', { width: '80px', narrow: 'hidden' }),
  { width: '130px', ...figure('Booked', 'booked') },
  { width: '130px', ...figure('Closing', 'closing') },
  {
    id: 'ties',
    title: 'Opening + entries = closing',
    width: '250px',
    cell: (statement) => <TieOut statement={statement} />,
  },
]

const statementKey = ({ number, currency }: Statement) => `${number} ${currency}`

export function Statements({ id }: { id: string }) {
  const list = useListOf(
    '/api/v1/reconciliations/{id}/statements',
    ['reconciliation', id, 'statements'],
    { path: { id } },
  )
  return (
    <DataTable
      label="Statements"
      list={list}
      columns={COLUMNS}
      idOf={statementKey}
      height="60vh"
      empty={<Empty title="No statements">A CSV file says nothing about balances.</Empty>}
    />
  )
}

/** Whether the balances of a file tie out, in a few words. */
export function balanceWords(balances: NonNullable<Run['balances']>): {
  readonly value: string
  readonly tone: 'normal' | 'warning' | 'bad'
} {
  const { tied, differing, unknown } = balances
  const all = tied + differing + unknown
  if (differing > 0)
    return { value: `${formatCount(differing)} of ${formatCount(all)} off`, tone: 'bad' }
  if (unknown > 0) return { value: 'some not stated', tone: 'warning' }
  return { value: 'tie out', tone: 'normal' }
}

/** The server's limit for a preview. */
export const PREVIEW_BYTES = 64 * 1_024

/** The first bytes of a file in base64. */
async function beginningOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

interface StatementPreviewProps {
  readonly file: File
  /** How it is read: by a saved profile or by rules. */
  readonly by: { readonly profile: string } | { readonly rules: Rules }
}

/** The first 20 rows of a file as they would be read; nothing is stored. */
export function usePreview({ file, by }: StatementPreviewProps, isWanted = true) {
  const api = useApi()
  return useQuery({
    queryKey: ['reconciliation-preview', file.name, file.size, file.lastModified, by],
    queryFn: async ({ signal }) => {
      const content = await beginningOf(file)
      return dataOf(
        api.POST('/api/v1/reconciliation-profiles/preview', { body: { ...by, content }, signal }),
      )
    },
    enabled: isWanted,
    retry: false,
  })
}

/** Whether these rules cannot read a CSV file. */
export function isUnreadable({ format, errors, rows }: Preview): boolean {
  return format === 'csv' && (errors.length > 0 || rows.every(isWrong))
}

export function StatementPreview(props: StatementPreviewProps) {
  const { file } = props
  const query = usePreview(props)
  return (
    <QueryState query={query}>
      {({ format, rows, errors, statements }) => (
        <>
          <Text size="sm" mb="xs">
            Read as {FORMAT_WORDS[format]}.
          </Text>
          {statements.length > 0 && (
            <DataTable
              label="Balances"
              list={statements}
              columns={BALANCE_COLUMNS}
              idOf={statementKey}
              height="220px"
            />
          )}
          {errors.length > 0 && (
            <Alert color="red" title="The file cannot be read this way" mb="xs">
              <List size="sm">
                {errors.map(({ field, reason }) => (
                  <List.Item key={`${field} ${reason}`}>
                    {field} {reason}
                  </List.Item>
                ))}
              </List>
              <Text size="sm" mt={4}>
                Choose the profile of your bank, or make one for this file.
              </Text>
            </Alert>
          )}
          {rows.length > 0 && (
            <DataTable
              label={`First rows of ${file.name}`}
              list={rows}
              columns={previewColumns(format, rows)}
              idOf={({ line }) => String(line)}
              height="320px"
              tall
            />
          )}
        </>
      )}
    </QueryState>
  )
}

type Preview = NonNullable<ReturnType<typeof usePreview>['data']>
type PreviewRow = Preview['rows'][number]

function previewColumns(
  format: Preview['format'],
  rows: readonly PreviewRow[],
): readonly Column<PreviewRow>[] {
  return [
    column.text('line', format === 'camt.053' ? 'No.' : 'Line', { width: '56px' }),
    {
      id: 'id',
      title: 'Transaction id',
      width: 'minmax(100px, 2fr)',
      cell: ({ record, values }) => record?.externalTransactionId ?? values.join(' · '),
    },
    {
      id: 'amount',
      title: 'Amount',
      align: 'right',
      cell: ({ record }) => record && <Money minor={record.amount} currency={record.currency} />,
    },
    { id: 'date', title: 'Date', width: '96px', cell: ({ record }) => record?.date },
    ...(rows.some(isWrong) ? [PROBLEM] : []),
  ]
}

const PROBLEM: Column<PreviewRow> = {
  id: 'problem',
  title: 'Problem',
  width: 'minmax(120px, 2fr)',
  cell: ({ errors }) => (
    <Text span inherit c="var(--mantine-color-error)">
      {errors.map(({ field, reason }) => `${field} ${reason}`).join('; ')}
    </Text>
  ),
}

function isWrong({ errors }: { readonly errors: readonly unknown[] }): boolean {
  return errors.length > 0
}

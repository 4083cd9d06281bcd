import { Table } from '@mantine/core'
import {
  type Column,
  column,
  DataTable,
  Empty,
  formatCount,
  formatMoney,
  StateBadge,
  type StateRole,
  useListOf,
} from '@posthorn/dashboard/kit'
import type { Run, Statement } from '../runs/run.ts'

type Figure = 'opening' | 'booked' | 'closing' | 'difference'

function money(statement: Statement, figure: Figure): string {
  const minor = statement[figure]
  return minor === null ? 'not said' : formatMoney(minor, statement.currency)
}

/** Whether opening balance and entries give the closing balance; if not, by how much. */
function TieOut({ statement }: { statement: Statement }) {
  const { tiesOut, reason } = statement
  const { words, look } = lookOf(statement)
  return (
    <span title={tiesOut === true ? undefined : (reason ?? undefined)}>
      <StateBadge state={words} role={look} />
    </span>
  )
}

function lookOf(statement: Statement): { readonly words: string; readonly look: StateRole } {
  if (statement.tiesOut === null) return { words: 'not known', look: 'retry' }
  if (statement.tiesOut) return { words: 'ties out', look: 'confirmed' }
  return { words: `off by ${money(statement, 'difference')}`, look: 'dead' }
}

/** The balances of a file that is not stored yet. */
export function StatementTable({ statements }: { statements: readonly Statement[] }) {
  return (
    <Table.ScrollContainer minWidth={480} mah={220} mb="xs">
      <Table withTableBorder aria-label="Balances">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Account</Table.Th>
            <Table.Th ta="right">Opening</Table.Th>
            <Table.Th ta="right">Entries</Table.Th>
            <Table.Th ta="right">Closing</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {statements.map((statement) => (
            <Table.Tr key={`${statement.number} ${statement.currency}`}>
              <Table.Td>{statement.account ?? statement.statementId}</Table.Td>
              <Table.Td ta="right">{money(statement, 'opening')}</Table.Td>
              <Table.Td ta="right">{money(statement, 'booked')}</Table.Td>
              <Table.Td ta="right">{money(statement, 'closing')}</Table.Td>
              <Table.Td>
                <TieOut statement={statement} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const COLUMNS: readonly Column<Statement>[] = [
  {
    id: 'account',
    title: 'Account',
    width: 'minmax(90px, 1.4fr)',
    cell: ({ account, statementId }) => <span title={statementId}>{account ?? statementId}</span>,
  },
  {
    id: 'opening',
    title: 'Opening',
    align: 'right',
    width: '130px',
    narrow: 'hidden',
    cell: (statement) => money(statement, 'opening'),
  },
  column.count('entries', 'Entries', { order: 'none', width: '80px', narrow: 'hidden' }),
  {
    id: 'booked',
    title: 'Booked',
    align: 'right',
    width: '130px',
    cell: (statement) => money(statement, 'booked'),
  },
  {
    id: 'closing',
    title: 'Closing',
    align: 'right',
    width: '130px',
    cell: (statement) => money(statement, 'closing'),
  },
  {
    id: 'ties',
    title: 'Opening + entries = closing',
    width: '210px',
    cell: (statement) => <TieOut statement={statement} />,
  },
]

/** The statements of a file, each with its balances. */
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
      idOf={({ number, currency }) => `${number} ${currency}`}
      height="60vh"
      empty={<Empty title="No statements">A CSV file says nothing about balances.</Empty>}
    />
  )
}

/** In a few words: whether the balances of a file tie out. */
export function balanceWords(balances: NonNullable<Run['balances']>): {
  readonly value: string
  readonly tone: 'normal' | 'warning' | 'bad'
} {
  const { tied, differing, unknown } = balances
  const all = tied + differing + unknown
  if (differing > 0)
    return { value: `${formatCount(differing)} of ${formatCount(all)} off`, tone: 'bad' }
  if (unknown > 0) return { value: 'not all said', tone: 'warning' }
  return { value: 'tie out', tone: 'normal' }
}

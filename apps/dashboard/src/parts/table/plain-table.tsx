import { Table } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'

export interface PlainColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'right'
  /** Left out below this width of the window. */
  readonly from?: 'sm' | 'lg'
  /** Whether a number needs attention. */
  readonly isBold?: (row: Row) => boolean
}

interface PlainTableProps<Row> extends Omit<
  ComponentProps<typeof Table>,
  'children' | 'data' | 'ref'
> {
  readonly rows: readonly Row[]
  readonly columns: readonly PlainColumn<Row>[]
  readonly idOf: (row: Row) => string | number
  /** Narrower than this it scrolls, in px. */
  readonly minWidth?: number
  /** Higher than this it scrolls, in px. */
  readonly maxHeight?: number
}

/** A few rows as they are, all of them drawn. */
export function PlainTable<Row>(props: PlainTableProps<Row>) {
  const { rows, columns, idOf, minWidth, maxHeight, ...table } = props
  const whole = (
    <Table {...table}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ title, align, from }) => (
            <Table.Th key={title} ta={align} {...(from && { visibleFrom: from })}>
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={idOf(row)}>
            {columns.map(({ title, align, from, isBold, cell }) => (
              <Table.Td
                key={title}
                ta={align}
                {...(from && { visibleFrom: from })}
                {...(isBold?.(row) && { fw: 700 })}
              >
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
  if (minWidth === undefined) return whole
  return (
    <Table.ScrollContainer minWidth={minWidth} mah={maxHeight}>
      {whole}
    </Table.ScrollContainer>
  )
}

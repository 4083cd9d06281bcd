import { useMemo, useState } from 'react'
import { RecordView } from './record-view.tsx'
import { DetailDrawer } from '../../parts/detail-drawer.tsx'
import { neighboursOf } from '../../parts/neighbours.ts'
import { useOpened } from '../../parts/use-opened.ts'

interface RecordDrawerProps<Row> {
  readonly runId: string
  /** Those of the table that it stands beside, in its order. */
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
}

/** The record that is open beside a table. What is decided leaves the table, and one goes on from its place. */
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

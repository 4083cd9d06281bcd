import { outboxTableSql, sql, type Outbox, type Queryable } from '@posthorn/engine'
import { fail, type Finding } from '../finding.ts'
import { checkIndexes } from './indexes.ts'
import { selectColumns } from './queries.ts'
import { checkVacuum } from './vacuum.ts'

/** Whether a table has what its definition names and the indexes of its claims, and is kept clean. */
export async function checkTable(db: Queryable, outbox: Outbox): Promise<Finding[]> {
  const { name } = outbox
  const table = sql.id(outbox.table).name
  const columns = await selectColumns(db, table)
  if (columns.length === 0) {
    const advice = { todo: 'make it by a migration', run: 'posthorn migrate' }
    return [fail(name, `there is no table ${table}`, advice)]
  }
  const text = outboxTableSql(outbox)
  const missing = [...listColumns(outbox), ...engineColumns(text)].filter(
    (column) => !columns.includes(column),
  )
  if (missing.length > 0) {
    const todo = 'add them by a migration; `outboxTableSql` says how'
    return [fail(name, `${table} has no column ${[...new Set(missing)].join(', ')}`, todo)]
  }
  if (outbox.log !== undefined) {
    const logged = await selectColumns(db, sql.id(outbox.log).name)
    const unlogged = columns.filter((column) => !logged.includes(column))
    if (unlogged.length > 0) {
      const todo = 'add them by a migration; `outboxTableSql` says how'
      return [fail(name, `${outbox.log} has no column ${unlogged.join(', ')}`, todo)]
    }
  }
  return [...(await checkIndexes(db, outbox, text)), ...(await checkVacuum(db, name, table))]
}

function engineColumns(text: string): string[] {
  return [...text.matchAll(/add column if not exists (\w+)/g)].map(([, name = '']) => name)
}

function listColumns({ columns, counter, order }: Outbox): string[] {
  const { ref, dedupe, idType: _, ...single } = columns
  const names = [
    ...Object.values(single),
    ...Object.values(ref ?? {}),
    ...(dedupe ?? []),
    counter.column,
    counter.limit,
    order?.key,
  ]
  return names.filter((name) => name !== undefined)
}

import type { Statement, Transaction } from '@posthorn/engine'
import { from, type CopyStreamQuery } from 'pg-copy-streams'

/** A stream that takes the lines of a `copy … from stdin`; its rows are stored when it has finished. */
export function copyInto(tx: Transaction, statement: string): CopyStreamQuery {
  // pg takes a stream where a statement is expected, and gives it back instead of a promise.
  const stream: unknown = from(statement)
  return tx.query(stream as Statement) as unknown as CopyStreamQuery
}

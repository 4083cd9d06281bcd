import { setImmediate } from 'node:timers/promises'
import { PosthornError } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import { borrowTransaction, type Transaction } from '../../database/transaction.ts'
import { textValue } from './text-value.ts'

/** What is used of the client that Prisma's interactive transaction gives to its callback, by shape. */
export interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>
}

/** What Prisma 7 throws: a code of its own, and what the driver said. */
interface PrismaError extends Error {
  readonly code?: string
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: PrismaCause } }
}

interface PrismaCause {
  readonly kind?: string
  readonly type?: string
  readonly originalCode?: string
  readonly originalMessage?: string
}

/** Prisma's code for a transaction that is over, timed out or unknown. */
const TRANSACTION_OVER = 'P2028'

/**
 * A transaction handle for the `tx` of `prisma.$transaction(async (tx) => …)`, also of a nested one;
 * refuses `prisma` itself and a transaction that is over with `NOT_IN_TRANSACTION`. Prisma does not
 * say when it commits: relays of this process look for the message at short intervals for 2 s.
 */
export function fromPrisma(tx: PrismaTransaction): Transaction {
  if ('$connect' in tx && tx.$connect !== undefined) throw notInTransaction()
  return borrowTransaction({
    async query<Row>({ text, values }: Statement) {
      // Prisma looks whether the transaction is open a moment before it sends. In a turn of the
      // event loop of its own no COMMIT can come in between.
      await setImmediate()
      const texts = values.map((value) => textValue(value))
      try {
        const rows = (await tx.$queryRawUnsafe(text, ...texts)) as Record<string, unknown>[]
        return { rows: rows.map(rowOf) as Row[] }
      } catch (error) {
        return { rows: rowsAfter(error as PrismaError) }
      }
    },
  })
}

/** Rows as pg would give them: whole numbers that may be large, and decimals, as text. */
function rowOf(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asPg(value)]))
}

function asPg(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(asPg)
  const isDecimal = typeof value === 'object' && value !== null && 'toFixed' in value
  return isDecimal && typeof value.toFixed === 'function' ? String(value.toFixed()) : value
}

/** Throws what pg would have thrown; a statement whose only fault is a column of nothing has no rows. */
function rowsAfter(error: PrismaError): never[] {
  const cause = error.meta?.driverAdapterError?.cause
  if (cause?.kind === 'UnsupportedNativeDataType' && cause.type === 'void') return []
  if (error.code === TRANSACTION_OVER) throw notInTransaction(error)
  if (cause?.originalCode === undefined) throw error
  throw Object.assign(new Error(cause.originalMessage, { cause: error }), {
    code: cause.originalCode,
  })
}

function notInTransaction(cause?: unknown): PosthornError {
  return new PosthornError(
    'NOT_IN_TRANSACTION',
    'fromPrisma needs the `tx` that prisma.$transaction gives to its callback, while that runs, and not `prisma` itself',
    { cause },
  )
}

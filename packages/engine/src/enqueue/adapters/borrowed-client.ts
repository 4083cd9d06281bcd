import { createBell } from '../../database/bell.ts'
import { PosthornError } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import { borrowTransaction, type Transaction } from '../../database/transaction.ts'
import { fromPg, type PgClient } from './pg.ts'

/** A library's handle that lends its pg client. */
export interface ClientLender {
  /** Whether the library holds its transaction for open. */
  isOpen(): boolean
  client(): Promise<PgClient>
  /** What to pass instead of a handle that is not open. */
  readonly advice: string
}

/** The transaction on a client that a library gives away only by a promise. */
export function fromLender(lender: ClientLender): Transaction {
  const check = () => {
    if (!lender.isOpen()) throw new PosthornError('NOT_IN_TRANSACTION', lender.advice)
  }
  check()
  let joined: Promise<Transaction> | undefined
  const join = () => (joined ??= lender.client().then(fromPg))
  return borrowTransaction({
    async query<Row>(statement: Statement) {
      check()
      const tx = await join()
      // Its client may have gone to another transaction while it was being fetched.
      check()
      return tx.query<Row>(statement)
    },
    onEnd(ended) {
      const bell = createBell()
      bell.listen(ended)
      void join().then((tx) => tx.ringLater(bell), ended)
    },
  })
}

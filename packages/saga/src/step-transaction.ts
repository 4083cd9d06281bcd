import {
  PosthornError,
  borrowTransaction,
  transaction,
  type Statement,
  type Transaction,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Gate } from './gate.ts'
import { isOutage } from './outage.ts'

/**
 * A transaction that begins with its first statement: a step that only calls the outside holds no
 * connection while it does.
 */
export class StepTransaction {
  readonly tx: Transaction
  readonly #pool: Pool
  readonly #gate: Gate
  readonly #end = Promise.withResolvers<void>()
  readonly #ended: (() => void)[] = []
  #opening: Promise<Transaction> | undefined
  #closing: Promise<void> = Promise.resolve()
  #isOver = false
  #outage: Error | undefined

  constructor(pool: Pool, gate: Gate) {
    this.#pool = pool
    this.#gate = gate
    // A rollback that is not awaited yet must not count as unhandled.
    this.#end.promise.catch(() => undefined)
    this.tx = borrowTransaction({
      query: (statement) => this.#query(statement),
      onEnd: (ended) => void this.#ended.push(ended),
    })
  }

  get isUsed(): boolean {
    return this.#opening !== undefined
  }

  /** The failure of the database that a statement met; undefined where it only said no. */
  get outage(): Error | undefined {
    return this.#outage
  }

  async commit(): Promise<void> {
    this.#isOver = true
    this.#end.resolve()
    await this.#closing
    this.#ended.forEach((ended) => ended())
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    this.#end.reject(CALLED_OFF)
    await this.#closing.catch(() => undefined)
  }

  async #query<Row>(statement: Statement): Promise<{ rows: Row[] }> {
    this.#refuseIfOver()
    try {
      const tx = await this.#open()
      this.#refuseIfOver()
      return await tx.query<Row>(statement)
    } catch (error) {
      if (isOutage(error)) this.#outage = error
      throw error
    }
  }

  /** A step that was given up may still be running somewhere. */
  #refuseIfOver(): void {
    if (this.#isOver) throw new PosthornError('NOT_IN_TRANSACTION', 'the step is over')
  }

  #open(): Promise<Transaction> {
    this.#opening ??= new Promise((resolve, reject) => {
      this.#closing = this.#gate.pass(() =>
        transaction(this.#pool, async (tx) => {
          resolve(tx)
          await this.#end.promise
        }),
      )
      this.#closing.catch(reject)
    })
    return this.#opening
  }
}

const CALLED_OFF = new Error('the step is rolled back')

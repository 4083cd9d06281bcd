import {
  PosthornError,
  SQLSTATE,
  borrowTransaction,
  sqlState,
  transaction,
  type Failure,
  type Statement,
  type Transaction,
} from '@posthorn/engine'
import type { Semaphore } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import { unstorable, isOutage } from './attempt.ts'
import { SAGA_CODES, type SagaCode } from '../errors.ts'
import { probe } from '../start/start.sql.ts'

/**
 * A transaction that begins with its first statement: a step that only calls the outside holds no
 * connection while it does.
 */
export class StepTransaction {
  readonly tx: Transaction
  readonly #pool: Pool
  readonly #gate: Semaphore
  readonly #end = Promise.withResolvers<void>()
  readonly #ended: (() => void)[] = []
  #opening: Promise<Transaction> | undefined
  #closing: Promise<void> = Promise.resolve()
  #isOver = false
  #outage: Error | undefined
  /** The first statement's error that the step got. */
  #refused: unknown

  constructor(pool: Pool, gate: Semaphore) {
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

  /** Why what a step did cannot be stored. */
  explain(error: unknown): Failure {
    if (sqlState(error) !== SQLSTATE.inFailedTransaction) return unstorable(error)
    const why = this.#refused instanceof Error ? this.#refused.message : 'unknown'
    const code: SagaCode = 'SAGA_TRANSACTION_ABORTED'
    return { code, message: `${SAGA_CODES[code]} The statement said: ${why}` }
  }

  /** Why nothing of it can be stored, if a statement was refused and that was the end of it. */
  async findAbort(): Promise<Failure | undefined> {
    if (this.#refused === undefined) return undefined
    try {
      await probe(this.tx)
      return undefined
    } catch (error) {
      if (isOutage(error)) throw error
      return this.explain(error)
    }
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
      this.#refused ??= error
      throw error
    }
  }

  /** A step that was given up may still be running somewhere. */
  #refuseIfOver(): void {
    if (this.#isOver) throw new PosthornError('NOT_IN_TRANSACTION', 'the step has ended')
  }

  #open(): Promise<Transaction> {
    this.#opening ??= new Promise((resolve, reject) => {
      this.#closing = this.#gate.run(() =>
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

import { uuid } from '@posthorn/engine'
import type { TestDatabase } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { expect } from 'vitest'
import { json, type Answer } from '@posthorn/system/testing/ask'
import { runPayments, type Client } from '../../testing/running.ts'
import type { PaymentStatus } from '../../charges/payment.ts'
import {
  CAPTURE_PAYMENTS,
  INSERT_DISPUTE,
  INSERT_PAYMENTS,
  INSERT_REFUND,
  MOVE_PAYMENTS,
} from './queries.ts'

/** A payment as a test writes it: amount in minor units. */
export interface GivenPayment {
  readonly name?: string | null
  readonly amount: number
  readonly currency?: string
  readonly user?: string
  readonly org?: string
  /** Default succeeded. */
  readonly status?: PaymentStatus
  /** Of one that was authorised first: what was taken of it. */
  readonly captured?: number
  readonly metadata?: Record<string, unknown>
  readonly gatewayRef?: string
  readonly createdAt?: string
}

/** A line of a bank's file: amount in major units, as it stands there. */
export interface GivenLine {
  readonly name: string
  readonly amount: string
  readonly currency?: string
  readonly date?: string
}

/** A user who reconciles. */
export interface Reconciler {
  get(path: string): Promise<Answer>
  post(path: string, body?: object): Promise<Answer>
  put(path: string, body: object): Promise<Answer>
  upload(lines: readonly GivenLine[]): Promise<string>
  /** Uploads any file, by the query's profile. */
  send(file: string | Buffer<ArrayBuffer>, query?: string): Promise<Answer>
  /** Uploads, and answers for the run's own path. */
  run(id: string): Promise<Record<string, unknown>>
  records(id: string): Promise<RecordView[]>
}

export interface RecordView {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly externalTransactionId: string
  readonly status: string
  readonly matchedPaymentId: string | null
  readonly matchedAs: string | null
  readonly paymentIds: string[]
  readonly refundIds: string[]
  readonly disputeIds: string[]
  readonly decidedBy: string | null
  readonly version: number
  readonly reason: string | null
}

export const PATH = '/api/v1/reconciliations'

/** A member of an organisation of their own, whose files and payments no other test sees. */
export interface Person extends Reconciler {
  readonly user: string
  readonly org: string
  /** Writes a payment and gives its id. */
  pay(name: string | null, amount: number, more?: Partial<GivenPayment>): Promise<string>
}

/** A server with the whole system, and people who reconcile. */
export async function runReconciling(db: TestDatabase) {
  const running = await runPayments(db)
  let people = 0
  return {
    ...running,
    async newUser(): Promise<Person> {
      people += 1
      const user = `user-${people}`
      const org = `org-${people}`
      return {
        ...reconcilerOf(await running.as({ sub: user, org })),
        user,
        org,
        pay: async (name, amount, more = {}) =>
          String((await givePayments(db.pool, [{ name, amount, user, org, ...more }]))[0]),
      }
    },
  }
}

/** Writes payments straight into the table, oldest first. Returns their ids. */
export async function givePayments(
  pool: Pool,
  payments: readonly GivenPayment[],
): Promise<string[]> {
  // Sorted: of one millisecond, those of later ids may be smaller.
  const ids = payments.map(() => uuid()).toSorted()
  const given = JSON.stringify(
    payments.map((payment, i) => ({ status: 'succeeded', ...payment, id: ids[i] })),
  )
  await pool.query(INSERT_PAYMENTS, [given])
  await pool.query(CAPTURE_PAYMENTS, [given])
  for (const status of ['succeeded', 'failed', 'refunded']) {
    await pool.query(MOVE_PAYMENTS, [given, status])
  }
  return ids
}

/** A refund as a test writes it. */
export interface GivenRefund {
  /** The payment. */
  readonly of: string
  readonly amount: number
  readonly status?: 'pending' | 'succeeded' | 'failed'
  readonly ref?: string
}

/** Writes a refund of a payment straight into the table. Returns its id. */
export async function giveRefund(
  pool: Pool,
  { of, amount, status = 'succeeded', ref = `re_${of}_${amount}` }: GivenRefund,
): Promise<string> {
  const id = uuid()
  await pool.query(INSERT_REFUND, [id, of, status, amount, ref])
  return id
}

/** A dispute as a test writes it. */
export interface GivenDispute {
  /** The payment. */
  readonly of: string
  readonly amount: number
  readonly status?: 'opened' | 'won' | 'lost' | 'withdrawn'
  readonly ref?: string
}

/** Writes a dispute of a payment straight into the table. Returns its id. */
export async function giveDispute(
  pool: Pool,
  { of, amount, status = 'opened', ref = `dp_${of}_${amount}` }: GivenDispute,
): Promise<string> {
  const id = uuid()
  await pool.query(INSERT_DISPUTE, [id, of, status, amount, ref])
  return id
}

let files = 0

export function csvOf(lines: readonly GivenLine[]): string {
  // A column that is left out of account makes each file another one.
  files += 1
  const rows = lines.map(({ name, amount, currency = 'EUR', date = '2026-11-02' }) =>
    [name, amount, currency, date, files].join(','),
  )
  return ['external_transaction_id,amount,currency,date,file', ...rows, ''].join('\n')
}

export function reconcilerOf(client: Client): Reconciler {
  const get = (path: string) => client.send(`${PATH}${path}`)
  const post = (path: string, body?: object) => client.send(`${PATH}${path}`, json('POST', body))
  return {
    get,
    post,
    put: (path, body) => client.send(`${PATH}${path}`, json('PUT', body)),
    async upload(lines) {
      const { status, body } = await client.send(`${PATH}?filename=bank.csv`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: csvOf(lines),
      })
      expect(status, JSON.stringify(body)).toBe(201)
      return String(body['id'])
    },
    send: (file, query = '') =>
      client.send(`${PATH}?filename=statement${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: file,
      }),
    async run(id) {
      const { status, body } = await post(`/${id}/run`)
      expect(status, JSON.stringify(body)).toBe(200)
      return body
    },
    async records(id) {
      const all: RecordView[] = []
      let cursor: string | null = ''
      for (let page = 0; page < 100 && cursor !== null; page += 1) {
        const query = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await get(`/${id}/records?limit=200${query}`)
        all.push(...(body['items'] as RecordView[]))
        cursor = body['nextCursor'] as string | null
      }
      return all
    },
  }
}

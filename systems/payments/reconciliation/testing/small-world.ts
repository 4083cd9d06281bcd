import { createHash, randomUUID } from 'node:crypto'
import { uuid } from '@posthorn/engine'
import type { Pool } from 'pg'
import type { Reason } from '../reason.ts'
import type { RunKey } from '../request.ts'
import { INSERT_FILE, SELECT_MISTAKES, SELECT_OUTCOMES } from './queries.ts'

/** What a line of a file and a payment have in common; amounts in minor units. */
export interface Entry {
  readonly name: string
  readonly amount: number
  readonly currency: string
}

/** Stores a file as an upload does. */
export async function giveFile(
  pool: Pool,
  { org, user }: { readonly org: string; readonly user: string },
  lines: readonly Entry[],
): Promise<RunKey> {
  const id = uuid()
  const sums: Record<string, { records: number; amount: string }> = {}
  for (const { currency, amount } of lines) {
    const sum = sums[currency] ?? { records: 0, amount: '0' }
    sums[currency] = {
      records: sum.records + 1,
      amount: String(BigInt(sum.amount) + BigInt(amount)),
    }
  }
  await pool.query(INSERT_FILE, [
    id,
    org,
    user,
    createHash('sha256').update(randomUUID()).digest(),
    JSON.stringify(lines),
    lines.length,
    JSON.stringify(sums),
  ])
  return { id, org }
}

/** A line with what became of it. */
export interface Outcome extends Entry {
  readonly line: number
  readonly status: string
  readonly paymentId: string | null
  readonly reason: Reason | null
  readonly version: number
  readonly decidedBy: string | null
}

export async function outcomesOf(pool: Pool, { id }: RunKey): Promise<Outcome[]> {
  const { rows } = await pool.query<Outcome>(SELECT_OUTCOMES, [id])
  return rows
}

/** What is wrong with the books of an organisation: payments used twice, tallies that do not add up. */
export async function mistakesOf(pool: Pool, { org }: Pick<RunKey, 'org'>): Promise<unknown[]> {
  const { rows } = await pool.query(SELECT_MISTAKES, [org])
  return rows
}

import { sql } from '@posthorn/engine'
import type { Transaction } from '@posthorn/engine'

/** Counts one greeting more and returns how many there are. */
export async function countGreeting(tx: Transaction, name: string): Promise<number> {
  const { rows } = await tx.query<{ times: string }>(sql`
    insert into example.greeted (name, times) values (${name}, 1)
    on conflict (name) do update set times = greeted.times + 1
    returning times`)
  return Number(rows[0]?.times)
}

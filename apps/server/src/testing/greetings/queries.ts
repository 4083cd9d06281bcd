import { sql, type Queryable, type Transaction } from '@posthorn/engine'

/** Counts one greeting more and returns how many there are. */
export async function countGreeting(tx: Transaction, name: string): Promise<number> {
  const { rows } = await tx.query<{ times: string }>(sql`
    insert into example.greeted (name, times) values (${name}, 1)
    on conflict (name) do update set times = greeted.times + 1
    returning times`)
  return Number(rows[0]?.times)
}

/** How often a name was greeted; undefined if never. */
export async function findGreeted(db: Queryable, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ times: string }>(sql`
    select times from example.greeted where name = ${name}`)
  return rows[0] && Number(rows[0].times)
}

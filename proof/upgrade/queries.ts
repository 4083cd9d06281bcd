import { sql, type Queryable } from '@posthorn/engine'

/** Messages that are not where they should be in the end. */
export interface Rest {
  readonly unsent: number
  readonly heldKeys: number
  readonly leases: number
  readonly alerts: number
}

export async function selectRest(db: Queryable): Promise<Rest> {
  const { rows } = await db.query<Rest>(sql`
    select ((select count(*) from crash.key_event where status <> 'sent')
             + (select count(*) from crash.row_event where status <> 'sent'))::int as unsent,
           (select count(*) from posthorn.held_key)::int as "heldKeys",
           ((select count(*) from posthorn.bucket where token is not null)
             + (select count(*) from crash.row_event where claim_token is not null))::int as leases,
           (select count(*) from posthorn.alert)::int as alerts`)
  return rows[0] as Rest
}

/** A migration of the version after the one under test. */
export const newerMigration = `
alter table posthorn.relay add column from_the_future text;`

import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { inboxId } from '@posthorn/engine/internal'

/** A saga by what its users call it: its name and the key that it was started with, or that a step gave it. */
export interface SagaKey {
  /** The saga's name, as in `defineSaga`. */
  readonly saga: string
  readonly key: string
  readonly tenant?: string | undefined
}

/** A key for a saga. */
export interface NewKey extends SagaKey {
  readonly id: string
}

/**
 * Gives sagas their keys. Returns those that another saga has, by the id of the one that was to get it. A
 * start with the same key in another transaction is waited for.
 */
export async function claimKeys(
  tx: Transaction,
  keys: readonly NewKey[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const given = JSON.stringify(
    keys.map(({ key, tenant = '', ...rest }) => ({ ...rest, key: inboxId(key), tenant })),
  )
  // In one order, so that two bulk starts never deadlock.
  await tx.query(sql`
    insert into sagas.saga_key (key, name, tenant, saga_id)
    select key, saga, tenant, id
      from json_to_recordset(${given}::json) as k (key text, saga text, tenant text, id uuid)
     order by key collate "C", saga, tenant
    on conflict (key, name, tenant) do nothing`)
  const { rows } = await tx.query<{ id: string; other: string }>(sql`
    select given.id, k.saga_id as other
      from json_to_recordset(${given}::json) as given (key text, saga text, tenant text, id uuid)
      join sagas.saga_key as k
        on k.key = given.key collate "C" and k.name = given.saga and k.tenant = given.tenant
     where k.saga_id <> given.id`)
  return new Map(rows.map(({ id, other }) => [id, other]))
}

/** The id of the saga that has a key; undefined if there is none. */
export async function findSaga(
  db: Queryable,
  { saga, key, tenant = '' }: SagaKey,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select saga_id as id from sagas.saga_key
     where key = ${inboxId(key)} and name = ${saga} and tenant = ${tenant}`)
  return rows[0]?.id
}

import { contextOf, dataKeysOf, selectKeys, type DataKeyRow } from '@posthorn/engine/internal'
import { type MasterKeys, type Queryable, type Transaction, failureOf } from '@posthorn/engine'
import {
  destroyKeys,
  selectIsHeld,
  selectKeysAfter,
  selectMasters,
  updateWrapped,
} from './data-keys.sql.ts'

/** Data keys that one master key has wrapped. */
export interface MasterUse {
  readonly master: string
  readonly keys: number
  /** Why they cannot be unwrapped here; undefined if they can. */
  readonly problem: string | undefined
}

/** Which master keys are in use, and whether these can still unwrap what they wrapped. */
export async function listMasters(db: Queryable, masters: MasterKeys): Promise<MasterUse[]> {
  const { rows } = await db.query<{ master: string; keys: number; id: string }>(selectMasters)
  return Promise.all(
    rows.map(async ({ master, keys, id }) => {
      const [row] = (await db.query<DataKeyRow>(selectKeys([id]))).rows
      try {
        if (row) await unwrap(masters, row)
        return { master, keys, problem: undefined }
      } catch (error) {
        return { master, keys, problem: failureOf(error, 'PAYLOAD_KEY_MISSING').message }
      }
    }),
  )
}

/** Makes a new key for a tenant: what is written from now on uses it, what is written keeps its own. */
export async function rotateDataKey(
  tx: Transaction,
  masters: MasterKeys,
  tenant: string,
): Promise<void> {
  await dataKeysOf(masters).create(tx, tenant)
}

const PAGE = 500

/**
 * Wraps every data key anew with the newest master key; then the old one can be taken away. Payloads
 * are not touched. Goes on where it was stopped when it is called again. Returns how many it changed.
 */
export async function rewrapDataKeys(db: Queryable, masters: MasterKeys): Promise<number> {
  let changed = 0
  let after: string | null = null
  for (;;) {
    const { rows }: { rows: DataKeyRow[] } = await db.query<DataKeyRow>(
      selectKeysAfter(after, PAGE),
    )
    for (const row of rows) {
      const wrapped = await masters.wrap(await unwrap(masters, row), contextOf(row))
      if (wrapped.master === row.master) continue
      const { rows: done } = await db.query(
        updateWrapped({ id: row.id, was: row.master ?? '', ...wrapped }),
      )
      changed += done.length
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return changed
    after = last.id
  }
}

export type Shredded =
  | { readonly kind: 'shredded'; readonly keys: number }
  /** A legal hold of the tenant, or of a thing of it, is open. */
  | { readonly kind: 'held' }

/**
 * Destroys the data keys of a tenant: its payloads, in the outboxes and in the archive, cannot be read
 * again. What was not delivered yet ends with `PAYLOAD_SHREDDED`; what is written later has a new key.
 */
export async function shredTenant(
  tx: Transaction,
  request: { readonly tenant: string; readonly by: string; readonly reason: string },
): Promise<Shredded> {
  const { rows } = await tx.query(destroyKeys(request))
  if (rows.length > 0) return { kind: 'shredded', keys: rows.length }
  const { rows: holds } = await tx.query<{ held: boolean }>(selectIsHeld(request.tenant))
  return holds[0]?.held ? { kind: 'held' } : { kind: 'shredded', keys: 0 }
}

async function unwrap(masters: MasterKeys, row: DataKeyRow): Promise<Uint8Array> {
  const wrapped = Buffer.from(row.wrapped ?? '', 'base64')
  return masters.unwrap({ master: row.master ?? '', wrapped }, contextOf(row))
}

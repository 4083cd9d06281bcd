import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import type { Queryable, Transaction } from '../database/transaction.ts'
import { failureOf, PosthornError } from '../errors.ts'
import { insertKey, selectKeys, selectNewestKeys, type DataKeyRow } from './data-keys.sql.ts'
import { uuid } from '../uuid.ts'
import type { MasterKeys } from './master-keys.ts'

/** A key of one tenant, ready for use. */
export interface DataKey {
  readonly id: string
  readonly tenant: string
  readonly secret: KeyObject
}

/** A key that was looked for; `error` says why it cannot be had. */
export type FoundKey = { readonly key: DataKey } | { readonly error: PosthornError }

const KEY_BYTES = 32

/** Keys in memory at once; what is forgotten is unwrapped again. */
const MOST_KEYS = 10_000

/**
 * The data keys behind one set of master keys. Unwrapped ones are kept in memory; the table is asked
 * each time whether they still exist, so that a key that was destroyed opens nothing from then on.
 */
export class DataKeys {
  readonly #masters: MasterKeys
  readonly #unwrapped = new Map<string, Promise<DataKey>>()

  constructor(masters: MasterKeys) {
    this.#masters = masters
  }

  /** The newest key of each tenant; made in this transaction where there is none. */
  async newest(tx: Transaction, tenants: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    const { rows } = await tx.query<DataKeyRow>(selectNewestKeys(tenants))
    const found = new Map<string, DataKey>()
    for (const row of rows) found.set(row.tenant, await this.#unwrap(row))
    for (const tenant of tenants) {
      if (!found.has(tenant)) found.set(tenant, await this.create(tx, tenant))
    }
    return found
  }

  /** Keys by their ids; one that does not exist, or not any more, is an error of its own. */
  async find(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, FoundKey>> {
    const { rows } = await db.query<DataKeyRow>(selectKeys(ids))
    const byId = new Map(rows.map((row) => [row.id, row]))
    const found = await Promise.all(
      ids.map(async (id): Promise<[string, FoundKey]> => [id, await this.#look(byId.get(id))]),
    )
    return new Map(found)
  }

  /** A new key, which encrypts what its tenant writes from now on. */
  async create(tx: Transaction, tenant: string): Promise<DataKey> {
    const id = uuid()
    const bytes = randomBytes(KEY_BYTES)
    const { master, wrapped } = await this.#masters.wrap(bytes, contextOf({ id, tenant }))
    await tx.query(insertKey({ id, tenant, master, wrapped }))
    const key = { id, tenant, secret: createSecretKey(bytes) }
    bytes.fill(0)
    this.#keep(id, Promise.resolve(key))
    return key
  }

  async #look(row: DataKeyRow | undefined): Promise<FoundKey> {
    // A key is written with its first message, or before: only a hand can have taken it away.
    if (!row) {
      return { error: new PosthornError('PAYLOAD_TAMPERED', 'the data key does not exist') }
    }
    if (row.wrapped === null) return { error: new PosthornError('PAYLOAD_SHREDDED') }
    try {
      return { key: await this.#unwrap(row) }
    } catch (error) {
      const { message } = failureOf(error, 'PAYLOAD_KEY_MISSING')
      return { error: new PosthornError('PAYLOAD_KEY_MISSING', message) }
    }
  }

  #unwrap(row: DataKeyRow): Promise<DataKey> {
    const known = this.#unwrapped.get(row.id)
    if (known) return known
    const unwrapping = this.#masters
      .unwrap(
        { master: row.master ?? '', wrapped: Buffer.from(row.wrapped ?? '', 'base64') },
        contextOf(row),
      )
      .then((bytes) => {
        const { id, tenant } = row
        return { id, tenant, secret: createSecretKey(Buffer.from(bytes)) }
      })
    this.#keep(row.id, unwrapping)
    // What failed is tried again by the next who needs it.
    unwrapping.catch(() => this.#unwrapped.delete(row.id))
    return unwrapping
  }

  #keep(id: string, key: Promise<DataKey>): void {
    const [oldest] = this.#unwrapped.keys()
    if (this.#unwrapped.size >= MOST_KEYS && oldest !== undefined) this.#unwrapped.delete(oldest)
    this.#unwrapped.set(id, key)
  }
}

/** A wrapped key that is moved to another tenant's row does not open there. */
export function contextOf({ id, tenant }: { id: string; tenant: string }): string {
  return `${id}\n${tenant}`
}

const keysOf = new WeakMap<MasterKeys, DataKeys>()

/** One memory for all outboxes with the same master keys. */
export function dataKeysOf(masters: MasterKeys): DataKeys {
  const known = keysOf.get(masters) ?? new DataKeys(masters)
  keysOf.set(masters, known)
  return known
}

import { sql, type Statement } from '../database/sql-tag.ts'

/** A key as it stands in its table; without `wrapped` it is destroyed. */
export interface DataKeyRow {
  readonly id: string
  readonly tenant: string
  readonly master: string | null
  /** In base64: what becomes of bytes is another matter in every database client. */
  readonly wrapped: string | null
}

export const DATA_KEY_COLUMNS = sql`id::text as id, tenant, master, encode(wrapped, 'base64') as wrapped`

/** Bytes for `decode(…, 'base64')`. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** The key of each tenant that encrypts what is written now. */
export function selectNewestKeys(tenants: readonly string[]): Statement {
  return sql`
    select distinct on (tenant) ${DATA_KEY_COLUMNS}
      from posthorn.data_key
     where tenant = any(${tenants}::text[]) and wrapped is not null
     order by tenant, created_at desc, id desc`
}

export function selectKeys(ids: readonly string[]): Statement {
  return sql`select ${DATA_KEY_COLUMNS} from posthorn.data_key where id = any(${ids}::uuid[])`
}

export function insertKey(key: {
  id: string
  tenant: string
  master: string
  wrapped: Uint8Array
}): Statement {
  return sql`
    insert into posthorn.data_key (id, tenant, master, wrapped)
    values (${key.id}::uuid, ${key.tenant}, ${key.master}, decode(${toBase64(key.wrapped)}, 'base64'))`
}

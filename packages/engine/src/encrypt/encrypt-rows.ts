import type { Queryable, Transaction } from '../database/transaction.ts'
import { DefinitionError, PosthornError } from '../errors.ts'
import type { MasterKeys } from './master-keys.ts'
import { dataKeysOf, type DataKey } from './data-keys.ts'
import { envelopeIn, FORMS, open, seal, type Envelope } from './envelope.ts'

/** A row as the table has it. */
type TableRow = Record<string, unknown>

/** What encryption reads of a definition. */
interface Encrypted {
  readonly name: string
  readonly columns: {
    readonly id: string
    readonly idType: string
    readonly tenant?: string | undefined
  }
  readonly encrypt:
    | {
        readonly columns: readonly string[]
        readonly keys: MasterKeys
        readonly plain: 'accept' | 'refuse'
      }
    | undefined
}

/**
 * Rows as they are stored: the columns that the definition names are encrypted with the newest key of
 * each row's tenant. `types` are the table's own.
 */
export async function encryptRows(
  tx: Transaction,
  outbox: Encrypted,
  { rows, types }: { rows: readonly TableRow[]; types: ReadonlyMap<string, string> },
): Promise<readonly TableRow[]> {
  const { encrypt, name } = outbox
  if (!encrypt) return rows
  const columns = encrypt.columns.filter((column) => types.has(column))
  const tenants = rows.map((row) => requireTenant(outbox, row))
  const keys = await dataKeysOf(encrypt.keys).newest(tx, [...new Set(tenants)])
  return rows.map((row, i) => {
    const key = keys.get(tenants[i] ?? '') as DataKey
    const sealed = columns.flatMap((column) => {
      const value = row[column]
      if (value === undefined || value === null) return []
      const form = FORMS[types.get(column) ?? '']
      if (!form) throw new DefinitionError(name, 'encrypt.columns', wrongType(column, types))
      return [[column, seal(value, { form, key, context: contextOf(outbox, row, column) })]]
    })
    return { ...row, ...(Object.fromEntries(sealed) as TableRow) }
  })
}

/** What came of a row: readable, never readable again, or not now. */
export type DecryptedRow =
  | { readonly row: TableRow }
  | { readonly unreadable: PosthornError }
  | { readonly unavailable: PosthornError }

/** Rows as they were written, one result for each; asks for all keys at once. */
export async function decryptRows(
  db: Queryable,
  outbox: Encrypted,
  rows: readonly TableRow[],
): Promise<readonly DecryptedRow[]> {
  const { encrypt } = outbox
  if (!encrypt) return rows.map((row) => ({ row }))
  const found = rows.map((row) => envelopesIn(encrypt.columns, row))
  const ids = found.flatMap((each) =>
    each instanceof PosthornError ? [] : each.map(({ envelope }) => envelope.key),
  )
  const keys =
    ids.length === 0 ? undefined : await dataKeysOf(encrypt.keys).find(db, [...new Set(ids)])
  return rows.map((row, i): DecryptedRow => {
    const envelopes = found[i] ?? []
    if (envelopes instanceof PosthornError) return { unreadable: envelopes }
    if (encrypt.plain === 'refuse' && envelopes.length < countValues(encrypt.columns, row)) {
      return { unreadable: new PosthornError('PAYLOAD_TAMPERED', 'the payload is not encrypted') }
    }
    const clear: TableRow = { ...row }
    try {
      for (const { column, envelope } of envelopes) {
        const key = keys?.get(envelope.key)
        if (!key || 'error' in key) throw key?.error ?? new PosthornError('PAYLOAD_TAMPERED')
        if (key.key.tenant !== tenantOf(outbox, row)) {
          throw new PosthornError('PAYLOAD_TAMPERED', "the data key is another tenant's")
        }
        const context = contextOf(outbox, row, column)
        clear[column] = open(envelope, { secret: key.key.secret, context })
      }
    } catch (error) {
      if (!(error instanceof PosthornError))
        return { unreadable: new PosthornError('PAYLOAD_TAMPERED') }
      return error.code === 'PAYLOAD_KEY_MISSING' ? { unavailable: error } : { unreadable: error }
    }
    return { row: clear }
  })
}

/** The envelopes of a row, or what is wrong with one of them. */
function envelopesIn(
  columns: readonly string[],
  row: TableRow,
): { column: string; envelope: Envelope }[] | PosthornError {
  try {
    return columns.flatMap((column) => {
      const envelope = envelopeIn(row[column])
      return envelope ? [{ column, envelope }] : []
    })
  } catch (error) {
    return error instanceof PosthornError ? error : new PosthornError('PAYLOAD_TAMPERED')
  }
}

function countValues(columns: readonly string[], row: TableRow): number {
  return columns.filter((column) => row[column] !== undefined && row[column] !== null).length
}

/** Where a value stands: an envelope that is moved to another row or column does not open there. */
function contextOf({ name, columns }: Encrypted, row: TableRow, column: string): string {
  const id = String(row[columns.id])
  return `${name}\n${columns.idType === 'uuid' ? id.toLowerCase() : id}\n${column}`
}

/** Whose a row is, as text; empty where it is no tenant's. */
export function tenantOf({ columns }: Pick<Encrypted, 'columns'>, row: TableRow): string {
  // A number where the table counts its tenants.
  const tenant = columns.tenant && (row[columns.tenant] as string | number | null | undefined)
  return String(tenant ?? '')
}

/** What the table would fill in is not known before it is written. */
function requireTenant(outbox: Encrypted, row: TableRow): string {
  const { columns, name } = outbox
  if (columns.tenant !== undefined && row[columns.tenant] === undefined) {
    const problem = 'a message must give it, since its payload is encrypted for its tenant'
    throw new DefinitionError(name, 'columns.tenant', problem)
  }
  return tenantOf(outbox, row)
}

function wrongType(column: string, types: ReadonlyMap<string, string>): string {
  const known = Object.keys(FORMS).join(', ')
  return `"${column}" is ${types.get(column)}; what is encrypted must be one of ${known}`
}

import {
  decryptRows,
  tenantOf,
  envelopeIn,
  type CheckedDefinition,
  messageOf,
} from '@posthorn/engine/internal'
import {
  type Queryable,
  type OutboxRow,
  type Outbox,
  toMessage,
  type Message,
  failureOf,
  type Destination,
} from '@posthorn/engine'
import { noteReveal, selectDestroyed } from '../retention/data-keys.sql.ts'

/**
 * How the payload of a message is stored: `none`, as it is; `encrypted`, and not shown; `erased`, its
 * key is destroyed; `revealed`, encrypted in the table and shown to the one who asked.
 */
export type Encryption = 'none' | 'encrypted' | 'erased' | 'revealed'

/** Who looks at an encrypted payload, and why: both go into the audit. */
export interface Reveal {
  readonly by: string
  readonly reason: string
}

/** What a view has in place of a value that cannot be shown. */
export const COVERED = { encrypted: '(encrypted)', erased: '(erased)' } as const

/** The row for a person to see: what is encrypted is covered, or opened where that is asked for. */
export async function readPayload(
  db: Queryable,
  outbox: CheckedDefinition,
  { row, reveal }: { readonly row: OutboxRow; readonly reveal: Reveal | undefined },
): Promise<{ row: OutboxRow; encryption: Encryption }> {
  const sealed = (outbox.encrypt?.columns ?? []).filter((column) => isSealed(row[column]))
  if (sealed.length === 0) return { row, encryption: 'none' }
  const cover = (encryption: keyof typeof COVERED) => {
    const covered = sealed.map((column) => [column, COVERED[encryption]] as const)
    return { row: { ...row, ...Object.fromEntries(covered) }, encryption }
  }
  if (!reveal) return cover((await isDestroyed(db, row, sealed)) ? 'erased' : 'encrypted')
  // Before it is shown: who cannot be named in the audit sees nothing.
  const { columns, name } = outbox
  const tenant = tenantOf(outbox, row)
  const who = tenant === '' ? undefined : tenant
  await db.query(noteReveal({ outbox: name, id: String(row[columns.id]), tenant: who, ...reveal }))
  const [opened] = await decryptRows(db, outbox, [row])
  if (opened && 'row' in opened) return { row: opened.row, encryption: 'revealed' }
  const isErased = opened && 'unreadable' in opened && opened.unreadable.code === 'PAYLOAD_SHREDDED'
  return cover(isErased ? 'erased' : 'encrypted')
}

function isSealed(value: unknown): boolean {
  try {
    return envelopeIn(value) !== undefined
  } catch {
    // An envelope that was damaged is no payload to show either.
    return true
  }
}

async function isDestroyed(
  db: Queryable,
  row: OutboxRow,
  columns: readonly string[],
): Promise<boolean> {
  const ids = columns.flatMap((column) => {
    try {
      return envelopeIn(row[column])?.key ?? []
    } catch {
      return []
    }
  })
  const { rows } = await db.query<{ destroyed: boolean }>(selectDestroyed(ids))
  return rows[0]?.destroyed === true
}

/** A message as a person may see it. */
export interface MessageView {
  /** What is or was sent; undefined if the row cannot be read. */
  readonly message: Message | undefined
  readonly destination: Destination | undefined
  /** Why the row cannot be read. */
  readonly unreadable: string | undefined
  readonly row: OutboxRow
}

const HIDDEN = '(hidden)'

/** Makes the message of a row for display, without what the definition calls secret. */
export function viewMessage<Row>(outbox: Outbox<Row>, row: OutboxRow): MessageView {
  const { destination, secrets } = outbox
  const shown = hide(row, secrets) as OutboxRow
  try {
    const message = toMessage(messageOf(outbox, row as Row))
    return {
      message: {
        ...message,
        headers: hide(message.headers, secrets) as Message['headers'],
        payload: hide(message.payload, secrets),
      },
      destination: typeof destination === 'function' ? destination(row as Row) : destination,
      unreadable: undefined,
      row: shown,
    }
  } catch (error) {
    const unreadable = isCovered(outbox, row) ?? failureOf(error, 'MESSAGE_UNREADABLE').message
    return { message: undefined, destination: undefined, unreadable, row: shown }
  }
}

/** Why a message cannot be made of a row whose encrypted columns are covered. */
function isCovered({ encrypt }: Pick<Outbox, 'encrypt'>, row: OutboxRow): string | undefined {
  const values = (encrypt?.columns ?? []).map((column) => row[column])
  if (values.includes(COVERED.erased)) return 'The payload is erased.'
  return values.includes(COVERED.encrypted) ? 'The payload is encrypted.' : undefined
}

/** A copy in which every property of these names is covered, however deep it stands. */
function hide(value: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => hide(each, names))
  // Dates, buffers and their like have nothing of ours inside.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      names.includes(name) && each !== null ? HIDDEN : hide(each, names),
    ]),
  )
}

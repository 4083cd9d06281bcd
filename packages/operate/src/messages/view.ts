import {
  type Outbox,
  type OutboxRow,
  toMessage,
  type Message,
  failureOf,
  type Destination,
} from '@posthorn/engine'
import { messageOf } from '@posthorn/engine/internal'
import { COVERED } from './payloads.ts'

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

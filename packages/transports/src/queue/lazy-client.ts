import { backOff } from '@posthorn/engine/internal'
import { UnreachableError } from '../errors.ts'
import { within } from '../timing.ts'

/** A client that is connected when it is needed, and again when its connection has broken. */
export interface LazyClient<Client> {
  /** The connected client; throws `UnreachableError` in bounded time. */
  open(): Promise<Client>
  /** The server's answer; if none comes in time, drops the connection and throws `UnreachableError`. */
  within<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer>
  /** Ends a connection that no longer answers; the next `open` makes another. */
  drop(): void
  close(): Promise<void>
}

export interface LazyClientParts<Client> {
  /** As errors call it. Default `the server`. */
  readonly server?: string
  /** Rejects in bounded time. */
  connect(): Promise<Client>
  isOpen(client: Client): boolean
  drop(client: Client): void
  /** Says good-bye, in bounded time. Default: `drop`. */
  close?(client: Client): Promise<void>
}

/** Until it is time to try again, calls are answered at once with the last failure. */
const RECONNECT = { firstMs: 100, mostMs: 3_000 }

export function createLazyClient<Client>(parts: LazyClientParts<Client>): LazyClient<Client> {
  const { server = 'the server' } = parts
  let current: Client | undefined
  let connecting: Promise<Client> | undefined
  let failed: { count: number; at: number; error: unknown } | undefined
  let closed = false

  const drop = (): void => {
    if (current) parts.drop(current)
  }

  const connect = async (): Promise<Client> => {
    try {
      current = await parts.connect()
      failed = undefined
      return current
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const error = new UnreachableError(reason, { cause })
      failed = { count: (failed?.count ?? 0) + 1, at: performance.now(), error }
      throw error
    }
  }

  return {
    async open() {
      if (closed) throw new UnreachableError('The transport is closed.')
      if (current && parts.isOpen(current)) return current
      if (!connecting && failed) {
        const since = performance.now() - failed.at
        if (since < backOff(failed.count - 1, RECONNECT)) throw failed.error
      }
      connecting ??= connect().finally(() => (connecting = undefined))
      return connecting
    },
    within: (answer, ms) =>
      within(answer, ms, () => {
        drop()
        throw new UnreachableError(`no answer from ${server} within ${ms} ms`)
      }),
    drop,
    async close() {
      closed = true
      await connecting?.catch(() => undefined)
      if (!current) return
      if (parts.close) await parts.close(current)
      else parts.drop(current)
    },
  }
}

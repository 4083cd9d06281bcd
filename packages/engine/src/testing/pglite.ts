import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import { engineMigrations, migrate } from '../database/migrate.ts'
import type { TestDatabaseOptions } from './create-database.ts'
import { Duplex } from 'node:stream'
import { callbackify } from 'node:util'

/** What tests on PGlite cannot show; printed at the start. */
export const PGLITE_LIMITS: readonly string[] = [
  'there is one connection: transactions run one after the other, so that nothing overlaps, and one that waits for another waits for ever',
  'relays have no one to compete with: leases, fences and SKIP LOCKED are not tried',
  'nobody is woken: relays poll, or are ticked',
  'nothing outlives the process: no kill, no failover, no restart is tried',
]

export interface PGliteOptions extends TestDatabaseOptions {
  /** Says nothing about the limits. Default false. */
  readonly quiet?: boolean
}

export interface PGliteDatabase extends AsyncDisposable {
  /** Of the package `pg`, with one connection. */
  readonly pool: Pool
  /** For `posthorn()` and `createRelay`: a relay that listened would keep the only connection. */
  readonly relay: { readonly pool: Pool; readonly mode: 'poll' }
  close(): Promise<void>
}

/** A migrated PostgreSQL in this process, without a server: for tests of handlers and of one's own code. */
export async function pgliteDatabase(options: PGliteOptions = {}): Promise<PGliteDatabase> {
  if (!options.quiet) process.stderr.write(`PGlite: ${PGLITE_LIMITS.join('\n        ')}\n`)
  const server = await PGlite.create()
  const account = { user: 'postgres', database: 'postgres', ssl: false }
  const pool = new Pool({ ...account, max: 1, stream: () => new PGliteStream(server) })
  const close = async () => {
    if (!pool.ended) await pool.end()
    if (!server.closed) await server.close()
  }
  try {
    await migrate(pool, [await engineMigrations(), ...(options.migrations ?? [])])
    if (options.sql) await pool.query(options.sql)
  } catch (error) {
    await close()
    throw error
  }
  return { pool, relay: { pool, mode: 'poll' }, close, [Symbol.asyncDispose]: close }
}

/** What of PGlite is used: bytes of the protocol in, bytes out. */
interface Protocol {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>
}

/** The socket that the package `pg` talks to, with PGlite at its other end instead of a network. */
class PGliteStream extends Duplex {
  readonly #server: Protocol

  constructor(server: Protocol) {
    super()
    this.#server = server
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _: string, done: (error?: Error | null) => void): void {
    callbackify(() => this.#answer(chunk))(done)
  }

  async #answer(chunk: Uint8Array): Promise<undefined> {
    const answer = await this.#server.execProtocolRaw(chunk)
    if (answer.length > 0) this.push(Buffer.from(answer))
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }
}

import type { Client, Pool } from 'pg'
import { backOff } from '../back-off.ts'
import { ownClient } from './pool-handle.ts'
import type { Statement } from './sql-tag.ts'
import type { Log } from '../log.ts'

const AGAIN = { firstMs: 100, mostMs: 5_000 }

export interface ListenerOptions {
  /** Only to learn where the database is: a listener has a connection of its own. */
  readonly pool: Pool
  readonly log: Log
  /** The statement that begins to listen. */
  readonly listen: Statement
  /** Called whenever listening begins: what was said before is lost. */
  onOpen(): void
  onNotification(payload: string): void
}

/** Receives notifications of a channel. It may miss some, so its users poll as well. */
export class Listener {
  readonly #options: ListenerOptions
  #client: Client | undefined
  #closed = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Whether it listens now, as far as the connection tells. */
  get isOpen(): boolean {
    return this.#client !== undefined && this.#timer === undefined
  }

  /** Listens, and goes on trying when the connection breaks. */
  async open(): Promise<void> {
    const { pool, listen, onOpen, onNotification } = this.#options
    try {
      const client = ownClient(pool)
      // From before it connects: an error without a listener would end the process.
      client.on('error', (error) => this.#broke(client, error))
      client.on('end', () => this.#broke(client, new Error('the listening connection ended')))
      client.on('notification', ({ payload }) => onNotification(payload ?? ''))
      this.#client = client
      await client.connect()
      await client.query(listen)
      if (this.#closed) return await this.#hangUp()
      this.#failures = 0
      onOpen()
    } catch (error) {
      this.#again(error)
    }
  }

  /** An old connection may die twice; only the one in use is replaced. */
  #broke(client: Client, error: Error): void {
    if (client === this.#client) this.#again(error)
  }

  #again(error: unknown): void {
    if (this.#closed || this.#timer) return
    const pauseMs = backOff(this.#failures, AGAIN)
    this.#failures += 1
    this.#options.log.error({ err: error, pauseMs }, 'listen failed; polling and connecting again')
    void this.#hangUp()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.open()
    }, pauseMs)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#hangUp()
  }

  async #hangUp(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    try {
      await client?.end()
    } catch {
      // It was broken: that is why it is given up.
    }
  }
}

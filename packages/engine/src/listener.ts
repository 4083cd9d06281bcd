import type { Client } from 'pg'
import type { Ring } from './bell.ts'
import type { Log } from './log.ts'
import { listenForWakes } from './sql/wake.ts'

const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 5_000

/** Hears the wake-ups of other processes. It may miss some: the poll underneath is enough. */
export class Listener {
  readonly #connect: () => Promise<Client>
  readonly #log: Log
  readonly #heard: (ring: Ring, outbox: string) => void
  #client: Client | undefined
  #closed = false
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined

  constructor(options: {
    connect: () => Promise<Client>
    log: Log
    heard: (ring: Ring, outbox: string) => void
  }) {
    this.#connect = options.connect
    this.#log = options.log
    this.#heard = options.heard
  }

  /** Listens, and goes on trying when the connection breaks. */
  async open(): Promise<void> {
    try {
      const client = await this.#connect()
      if (this.#closed) return await client.end()
      this.#client = client
      client.on('notification', ({ payload }) => this.#onNotification(payload))
      client.on('error', (error) => this.#again(error))
      client.on('end', () => this.#again(new Error('the listening connection ended')))
      await client.query(listenForWakes)
      this.#pauseMs = FIRST_PAUSE_MS
      // Whatever rang while nobody listened is found by one look.
      this.#heard('ring', '*')
    } catch (error) {
      this.#again(error)
    }
  }

  #onNotification(payload: string | undefined): void {
    const match = /^(ring|arm) (.+)$/.exec(payload ?? '')
    if (match) this.#heard(match[1] as Ring, match[2] as string)
  }

  #again(error: unknown): void {
    if (this.#closed || this.#timer) return
    this.#log.warn({ err: error, pauseMs: this.#pauseMs }, 'not listening for wake-ups; polling')
    this.#client
      ?.removeAllListeners('end')
      .end()
      .catch(() => undefined)
    this.#client = undefined
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.open()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS)
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
      await client?.removeAllListeners('end').end()
    } catch {
      // It was broken: that is why it is given up.
    }
  }
}

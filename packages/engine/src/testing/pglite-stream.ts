import { Duplex } from 'node:stream'
import { callbackify } from 'node:util'

/** What of PGlite is used: bytes of the protocol in, bytes out. */
export interface Protocol {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>
}

/** The socket that the package `pg` talks to, with PGlite at its other end instead of a network. */
export class PGliteStream extends Duplex {
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

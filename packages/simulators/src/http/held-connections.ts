import type { Socket } from 'node:net'
import { sleep } from '@posthorn/operate'

/** No request waits longer for an answer that never comes; a bound for connections, not a promise. */
const HANG_MS = 10 * 60_000

/** Keeps connections without an answer, and lets all of them go at the end. */
export class HeldConnections {
  readonly #ended: AbortSignal
  readonly #hangMs: number

  constructor(ended: AbortSignal, hangMs = HANG_MS) {
    this.#ended = ended
    this.#hangMs = hangMs
  }

  /** Resolves once the connection is gone: its client left, the end came, or ten minutes passed. */
  hang(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      const cut = () => socket.destroy()
      const timer = setTimeout(cut, this.#hangMs)
      this.#ended.addEventListener('abort', cut)
      const leave = () => {
        clearTimeout(timer)
        this.#ended.removeEventListener('abort', cut)
        resolve()
      }
      if (socket.destroyed) return leave()
      socket.once('close', leave)
      if (this.#ended.aborted) cut()
    })
  }

  /** Resolves after the delay, or at once when the end comes. */
  delay(ms: number): Promise<void> {
    return sleep(ms, this.#ended)
  }
}

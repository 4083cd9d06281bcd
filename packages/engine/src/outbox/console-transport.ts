import { delivered } from './outcome.ts'
import type { Message } from './message.ts'
import type { Transport } from './transport.ts'

export interface ConsoleTransport extends Transport {
  /** What it has printed so far, in that order. */
  readonly delivered: readonly Message[]
}

/** For a first try and for tests: prints type, key and payload of each message, and keeps it. */
export function consoleTransport(): ConsoleTransport {
  const printed: Message[] = []
  return {
    delivered: printed,
    async deliver(batch) {
      for (const { message } of batch) {
        const { type, key, payload } = message
        // oxlint-disable-next-line no-console -- what it is for
        console.log(...(key === undefined ? [type, payload] : [type, key, payload]))
        printed.push(message)
      }
      return batch.map(() => delivered())
    },
  }
}

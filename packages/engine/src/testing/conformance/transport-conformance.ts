import type { Pool } from 'pg'
import { afterAll, describe } from 'vitest'
import type { Subscriber, Transport } from '../../outbox/transport.ts'
import { batchConformance } from './batch-conformance.ts'
import { consumingConformance } from './consuming-conformance.ts'
import { deadLetterConformance } from './dead-letter-conformance.ts'
import { deliveringConformance } from './delivering-conformance.ts'
import { PATIENCE_MS } from './recorder.ts'

/** A client on a line of its own, which the suite can cut. */
export interface TransportUnderTest {
  readonly transport: Transport & Required<Subscriber>
  /** The database in which its consumers keep what they set aside; `cut` does not end it. */
  readonly letters: Pool
  /** Ends the client's connections and refuses new ones: for the server its process is dead. */
  readonly cut: () => void | Promise<void>
  /** Keeps the connections and lets nothing through, as a network that drops packets. */
  readonly stall: () => void | Promise<void>
  /** Lets connections through again. */
  readonly heal: () => void | Promise<void>
}

export interface ConformanceOptions {
  /** Whether the broker knows positions, so that `passed` can be answered. Default true. */
  readonly offsets?: boolean
}

/** Makes a client that the suite closes at its end. */
export type Client = () => Promise<TransportUnderTest>

/**
 * What every transport must do, against a real server. `make` gives a new client at each call; the
 * suite closes them. Every test has a topic and clients of its own: several run at once, since most of
 * their time is waiting for leases, sessions and outages to end.
 */
export function transportConformance(
  name: string,
  make: () => Promise<TransportUnderTest>,
  options: ConformanceOptions = {},
): void {
  describe.concurrent(
    `${name} keeps the transport's contract`,
    { timeout: 3 * PATIENCE_MS },
    () => {
      const made: TransportUnderTest[] = []
      const client = async (): Promise<TransportUnderTest> => {
        const fresh = await make()
        made.push(fresh)
        return fresh
      }
      afterAll(async () => {
        await Promise.all(made.map(async ({ transport }) => transport.close?.()))
      })

      deliveringConformance(client, options)
      consumingConformance(client, options)
      deadLetterConformance(client)
      batchConformance(client)
    },
  )
}

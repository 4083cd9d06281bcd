import { DeliveryError, type Consumer, type Log } from '@posthorn/engine'
import { type Subscription, backOff, sleep } from '@posthorn/engine/internal'
import { TransportError } from '../errors.ts'
import { AGAIN } from '../timing.ts'

/** Reading from a broker for as long as one connection or membership lasts. */
export interface Session {
  /** Resolves when it is over through no will of ours. */
  readonly lost: Promise<void>
  /** Gives up at once: its messages belong to another consumer by now. */
  abandon(): void | Promise<void>
  /** Waits for the messages in hand and says good-bye. */
  finish(): Promise<void>
}

export interface StartedSubscription extends Subscription {
  /** Resolves once messages can arrive; rejects if they never will. */
  readonly joined: Promise<void>
}

/**
 * Keeps a consumer reading until closed, with a new session whenever the last one was lost. The signal
 * ends the waiting of a session that is being opened when the consumer is closed.
 */
export function keepSubscribed(
  { topic, group }: Consumer,
  log: Log,
  openSession: (signal: AbortSignal) => Promise<Session>,
): StartedSubscription {
  const closed = new AbortController()
  const closing = new Promise<void>((resolve) =>
    closed.signal.addEventListener('abort', () => resolve()),
  )
  const joined = Promise.withResolvers<void>()
  let joinedOnce = false
  /** The failure that the log has a line about: a broker that stays away fills no log. */
  let said: string | undefined

  const readOnce = async (): Promise<void> => {
    const session = await openSession(closed.signal)
    joinedOnce = true
    if (said !== undefined) log.info({ topic, group }, 'subscribed after failures')
    said = undefined
    joined.resolve()
    await Promise.race([session.lost, closing])
    if (closed.signal.aborted) return session.finish()
    log.info({ topic, group }, 'connection lost; subscribing again')
    await session.abandon()
  }

  const keepReading = async (): Promise<void> => {
    for (let failures = 0; !closed.signal.aborted; failures++) {
      try {
        await readOnce()
        failures = 0
      } catch (error) {
        // Not a matter of time, and the caller still listens: a wrong name, other settings, no rights.
        if (isFinal(error) && !joinedOnce) return joined.reject(error)
        const { code, name } = Object(error) as { code?: unknown; name?: unknown }
        const failure = String(code ?? name)
        if (said !== failure)
          log.warn({ topic, group, err: error }, 'cannot subscribe; trying again')
        said = failure
      }
      await sleep(backOff(failures, AGAIN), closed.signal)
    }
    joined.reject(new TransportError('CLOSED'))
  }

  const running = keepReading()
  return {
    joined: joined.promise,
    close() {
      closed.abort()
      return running
    },
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof DeliveryError && !error.retryable)
}

/** Keeps a subscription among those to be closed with the transport, and waits until it has joined. */
export async function addTo(
  subscriptions: Set<StartedSubscription>,
  started: StartedSubscription,
): Promise<Subscription> {
  subscriptions.add(started)
  await started.joined
  return { close: () => started.close().finally(() => subscriptions.delete(started)) }
}

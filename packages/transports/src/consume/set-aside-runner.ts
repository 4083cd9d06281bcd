import { failureOf, type Consumer, type Log } from '@posthorn/engine'
import {
  type ClaimedMessage,
  type Failed,
  type SetAsideStore,
  Semaphore,
} from '@posthorn/engine/internal'
import { LOST_LIMIT, fatal, suspectSlot, type Failures, type Reading } from './failures.ts'
import { waitOf, isOutage } from './handling.ts'
import { AGAIN, drain, repeat } from '../timing.ts'

/** Claimed at once by one subscription. */
const BATCH = 10
const LEASE_MS = 30_000
/** How often it is looked whether something is parked behind nothing, while messages come. */
const PROMOTE_EVERY_MS = 15_000
/** After an attempt that something unreachable made impossible. */
const OUTAGE_MS = 10_000

export interface SetAsideRunner {
  /** Ends as a subscription does: waits for handlers in hand, then aborts their signal. */
  close(): Promise<void>
}

export interface RunnerOptions extends Pick<Reading, 'retryPollMs' | 'drainMs'> {
  readonly consumer: Consumer
  readonly failures: Failures
  readonly log: Log
  readonly concurrency: number
}

/**
 * Makes the attempts of what the consumer has set aside, by the same handler and policy. Every
 * process of the group does; a claim is a lease, so one that dies gives its messages back.
 */
export function runSetAside(options: RunnerOptions): SetAsideRunner {
  const { failures, log, consumer } = options
  const { store } = failures
  if (!store) return { close: async () => undefined }
  const { topic, group } = consumer
  const stop = new AbortController()
  const abandon = new AbortController()
  let promotedAt = performance.now()
  const turn = async (): Promise<number | undefined> => {
    try {
      const promote =
        performance.now() - promotedAt >= Math.min(PROMOTE_EVERY_MS, options.retryPollMs)
      if (promote) promotedAt = performance.now()
      const dueMs = await store.nextMs({ promote })
      if (dueMs === undefined || dueMs > 0) return dueMs
      const claimed = await store.claim(BATCH, LEASE_MS)
      await handleAll(claimed, { ...options, store, stop: stop.signal, signal: abandon.signal })
      // Another process may have them, locked for a moment.
      return claimed.length > 0 ? 0 : AGAIN.firstMs
    } catch (error) {
      log.warn(
        { topic, group, err: error },
        'set-aside messages could not be checked; trying again',
      )
      return AGAIN.mostMs
    }
  }
  const running = repeat(options.retryPollMs, turn)
  const unlisten = store.listen(() => running.now())
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    stop.abort()
    unlisten()
    await drain(running.stop(), options.drainMs, {
      abandon: () => abandon.abort(),
      ...{ log, about: { topic, group } },
    })
  }
  return { close: () => (closing ??= close()) }
}

interface Run extends RunnerOptions {
  readonly store: SetAsideStore
  readonly stop: AbortSignal
  readonly signal: AbortSignal
}

async function handleAll(claimed: readonly ClaimedMessage[], run: Run): Promise<void> {
  const { store, log, concurrency } = run
  const slots = new Semaphore(concurrency)
  const [first] = claimed
  const renewing = setInterval(() => {
    if (first)
      store
        .renew(first, LEASE_MS)
        .catch((error: unknown) =>
          log.debug({ err: error }, 'a claim could not be renewed; trying again'),
        )
  }, LEASE_MS / 3)
  try {
    await Promise.all(claimed.map((each) => slots.run(() => handleOne(each, run))))
  } finally {
    clearInterval(renewing)
  }
}

async function handleOne(claimed: ClaimedMessage, run: Run): Promise<void> {
  const { store, stop, failures, log, consumer } = run
  if (stop.aborted) return store.release(claimed)
  const { message, place, lost } = claimed
  const about = { topic: consumer.topic, group: consumer.group, id: message.id }
  const error = await attempt(claimed, run)
  if (error === undefined) return store.remove(claimed)
  if (run.signal.aborted) return store.release(claimed)
  const { attempts: before } = claimed
  if (await isOutage(error, failures)) {
    log.warn({ ...about, err: error }, `unreachable; trying again in ${OUTAGE_MS} ms`)
    const failed = { attempts: before, failure: failureOf(error, 'CONSUMER_FAILED') }
    return store.postpone(claimed, failed, OUTAGE_MS)
  }
  const failed: Failed = { attempts: before + 1, failure: failureOf(error, 'CONSUMER_FAILED') }
  const waitMs = waitOf(error, failed, failures)
  if (waitMs === undefined) {
    await store.end(claimed, failed)
    log.error({ ...about, place, lost, ...failed }, 'the message is a dead letter now')
    return
  }
  log.warn({ ...about, ...failed, err: error }, `handler failed; trying again in ${waitMs} ms`)
  await store.postpone(claimed, failed, waitMs)
}

/** One attempt: the error it ended with, undefined when it went well. */
async function attempt(claimed: ClaimedMessage, run: Run): Promise<unknown> {
  const { consumer, signal } = run
  const { message, place, lost } = claimed
  // The first loss may have been another message's doing; from then on it is handled alone.
  if (lost > LOST_LIMIT + 1) return fatal(LOST_LIMIT)
  const ref = place
    ? { partition: place.partition, offset: String(place.offset) }
    : { setAside: claimed.id }
  const handle = async (): Promise<undefined> => {
    await consumer.handle(message, { ref, signal })
  }
  try {
    return await (lost > 1 ? suspectSlot.run(handle) : handle())
  } catch (error) {
    return error ?? new Error('the handler threw nothing')
  }
}

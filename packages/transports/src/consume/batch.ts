import { type ConsumerBatch, type Handled, type Message } from '@posthorn/engine'
import { backOff, sleep } from '@posthorn/engine/internal'
import { UnreachableError } from '../errors.ts'
import {
  OUTAGE,
  parkBehind,
  untilDone,
  type Handling,
  type Work,
  isConnectionLost,
  isOutage,
} from './handling.ts'

/** A message that can be handled together with others. */
export interface BatchWork extends Work {
  readonly received: Work['received'] & { readonly message: Message }
}

/** Unreadable ones, and what may have killed the last process, are handled alone. */
export function isBatchWork(work: Work): work is BatchWork {
  return work.received.message !== undefined && work.suspect !== true
}

/**
 * Handles messages together until each is handled, set aside or dead; for each, in their order,
 * whether it may be acknowledged. One that fails goes on by itself; those that were not tried because
 * of it come together again once it is decided, so that the order stands.
 */
export async function untilAllDone(
  works: readonly BatchWork[],
  handling: Handling,
  batch: ConsumerBatch,
): Promise<boolean[]> {
  const { stop, signal } = handling
  const done = works.map(() => false)
  let open: readonly Placed[] = works.map((work, at) => ({ work, at }))
  for (let outages = 0; open.length > 0 && !stop.aborted;) {
    const ready: Placed[] = []
    for (const each of open) {
      if (await parkBehind(each.work, handling)) done[each.at] = true
      else ready.push(each)
    }
    const round = await attemptAll(ready, handling, batch)
    if (signal.aborted) return done
    for (const { at } of round.done) done[at] = true
    if (round.outage !== undefined) {
      const waitMs = backOff(outages++, OUTAGE)
      const messages = round.untried.length
      const [first] = round.untried
      handling.log.warn(
        { ...first?.work.about, messages, err: round.outage },
        `unreachable; the messages are tried again in ${waitMs} ms`,
      )
      await sleep(waitMs, stop)
    } else if (round.done.length + round.failed.length === 0) {
      // Together they get nowhere: each alone does, or shows what is wrong with it.
      for (const { work, at } of round.untried) done[at] = await untilDone(work, handling)
      return done
    } else outages = 0
    for (const { work, at, error } of round.failed) {
      done[at] = await untilDone(work, handling, error)
    }
    open = round.untried
  }
  return done
}

interface Placed {
  readonly work: BatchWork
  readonly at: number
}

interface Round {
  readonly done: readonly Placed[]
  readonly failed: readonly (Placed & { readonly error: unknown })[]
  /** Also those whose failure says nothing about them: something that they need is away. */
  readonly untried: readonly Placed[]
  readonly outage: unknown
}

async function attemptAll(
  placed: readonly Placed[],
  { stop, signal, slots, failures, log }: Handling,
  { handle }: ConsumerBatch,
): Promise<Round> {
  const messages = placed.map(({ work }) => work.received.message)
  const results = await slots.run(async (): Promise<readonly Handled[]> => {
    if (stop.aborted || messages.length === 0) return []
    try {
      return await handle(messages, { signal })
    } catch (error) {
      // The database was away, or went away under them: that says nothing about any of them.
      if (!signal.aborted && (isConnectionLost(error) || (await isOutage(error, failures)))) {
        const reason = error instanceof Error ? error.message : String(error)
        const outage = new UnreachableError(reason, { cause: error })
        return messages.map(() => ({ error: outage }))
      }
      const [first] = placed
      log.warn(
        { ...first?.work.about, messages: messages.length, err: error },
        'a batch failed; its messages are handled one by one',
      )
      return []
    }
  })
  const round = {
    done: [] as Placed[],
    failed: [] as (Placed & { error: unknown })[],
    untried: [] as Placed[],
    outage: undefined as unknown,
  }
  for (const [i, each] of placed.entries()) {
    const result = results[i] ?? 'untried'
    if (result === 'done') round.done.push(each)
    else if (result === 'untried') round.untried.push(each)
    else {
      const error = result.error ?? new Error('the handler threw nothing')
      const isAway = !signal.aborted && (await isOutage(error, failures))
      if (isAway) round.outage ??= error
      if (isAway) round.untried.push(each)
      else round.failed.push({ ...each, error })
    }
  }
  return round
}

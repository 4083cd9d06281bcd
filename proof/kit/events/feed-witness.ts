import { createFeed } from '@posthorn/operate'
import type { Pool } from 'pg'
import type { Line } from '../ledger.ts'
import { selectTransitions, type SeenTransition } from '../../failover/queries.ts'
import { until } from '../waiting.ts'

/** One who follows the stream of events, and stays subscribed through every fault of the servers. */
export interface FeedWitness {
  /** Waits a little for what is still to come, ends, and compares what came with what is there. */
  conclude(): Promise<Line[]>
  stop(): Promise<void>
}

const LAST_MS = 30_000

export function watchFeed(pool: Pool): FeedWitness {
  const feed = createFeed({ pool })
  const seen = new Set<string>()
  let since: Date | undefined
  let ending = '-'
  const reading = (async () => {
    for await (const { entries } of feed.subscribe()) {
      for (const entry of entries) {
        if (entry.kind !== 'transition') continue
        since ??= entry.at
        seen.add(nameOf(entry))
      }
    }
  })().catch((error: Error) => void (ending = error.message))
  const stop = async () => {
    await feed.close()
    await reading
  }
  const findUnseen = async () => {
    const there = since ? await selectTransitions(pool, since) : []
    return { there, unseen: there.filter((each) => !seen.has(nameOf(each))) }
  }
  return {
    stop,
    async conclude() {
      const isAllSeen = async () => (await findUnseen()).unseen.length === 0
      await until(isAllSeen, { withinMs: LAST_MS })
      const { there, unseen } = await findUnseen()
      await stop()
      return [
        { name: 'stream of events: changes of state', value: there.length, atLeast: 1 },
        { name: 'stream of events: not seen by its reader', value: unseen.length, must: 0 },
        { name: 'stream of events: ended by', value: ending, must: '-' },
      ]
    },
  }
}

/** Ids alone may be given a second time. */
function nameOf({ id, messageId, at }: SeenTransition): string {
  return `${id} ${messageId} ${at.getTime()}`
}

import type { ConsumerBatch } from '@posthorn/engine'
import { untilAllDone, type BatchWork } from './batch.ts'
import type { Handling } from './handling.ts'

/** Lets messages that arrive one by one be handled together. */
export interface Gatherer {
  /** Whether the message may be acknowledged. Two of one key must not be given at once. */
  handle(work: BatchWork): Promise<boolean>
}

/** Up to `concurrency` batches run at once; what arrives meanwhile is the next one. */
export function createGatherer(
  handling: Handling,
  batch: ConsumerBatch,
  concurrency: number,
): Gatherer {
  const waiting: { readonly work: BatchWork; readonly end: (done: boolean) => void }[] = []
  let running = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // What came with one packet is here by then.
    setImmediate(() => {
      isScheduled = false
      while (running < concurrency && waiting.length > 0) void runNext()
    })
  }

  async function runNext(): Promise<void> {
    const next = waiting.splice(0, batch.size)
    running++
    try {
      const works = next.map(({ work }) => work)
      const done = await untilAllDone(works, handling, batch)
      next.forEach(({ end }, i) => end(done[i] ?? false))
    } catch {
      // The channel keeps what was not acknowledged.
      for (const { end } of next) end(false)
    } finally {
      running--
      schedule()
    }
  }

  return {
    handle: (work) =>
      new Promise((resolve) => {
        waiting.push({ work, end: resolve })
        schedule()
      }),
  }
}

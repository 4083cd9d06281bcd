import type { ServerEvent } from './live-event.ts'

/** What came since the last one. */
export interface Batch {
  readonly events: readonly ServerEvent[]
  /** Something may be missing: data on screen must be read again. */
  readonly lookAgain: boolean
}

interface BatchOptions {
  readonly onBatch: (batch: Batch) => void
  /** Default 250. */
  readonly everyMs?: number
  /** Events kept for one batch; the oldest of more are dropped. Default 2,000. */
  readonly most?: number
}

interface Batches {
  add(events: readonly ServerEvent[]): void
  lookAgain(): void
  close(): void
}

/** Collects events and passes them on at a pace that a page can draw. */
export function createBatches({ onBatch, everyMs = 250, most = 2_000 }: BatchOptions): Batches {
  let events: ServerEvent[] = []
  let isIncomplete = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const pass = () => {
    timer = undefined
    const batch = { events, lookAgain: isIncomplete }
    events = []
    isIncomplete = false
    onBatch(batch)
  }
  const arm = () => (timer ??= setTimeout(pass, everyMs))
  return {
    add(more) {
      if (more.length === 0) return
      events = events.concat(more)
      if (events.length > most) {
        events = events.slice(-most)
        isIncomplete = true
      }
      arm()
    },
    lookAgain() {
      isIncomplete = true
      arm()
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

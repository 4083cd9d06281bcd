import type { ConsumerBatch, Handled, Message } from '@posthorn/engine'

/**
 * How long partitions wait for the call under way to end, in order to be in the next one together. A
 * handler that takes longer than this, since it calls others, has several calls at once.
 */
const TOGETHER_MS = 20

/** Messages of one partition that wait to be handled. */
interface Group {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly end: (results: readonly Handled[]) => void
  readonly fail: (error: unknown) => void
}

/**
 * The same handler for the partitions of a subscription, of which each calls it for its own messages:
 * what waits at a time goes through it in one call, and so in one transaction, which costs as much for
 * one message as for twenty. What one partition's messages do is no other's: where a call fails, the
 * partitions are handled apart, and those that only stood behind a failure come again at once.
 */
export function mergePartitions({ size, handle }: ConsumerBatch): ConsumerBatch {
  const waiting: Group[] = []
  /** A call is under way that may end soon. */
  let isBegun = false
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || isBegun) return
    isScheduled = true
    // What came with one fetch is here by then.
    setImmediate(() => {
      isScheduled = false
      if (!isBegun && waiting.length > 0) begin()
    })
  }

  function begin(): void {
    isBegun = true
    let isOver = false
    const goOn = () => {
      clearTimeout(timer)
      if (isOver) return
      isOver = true
      isBegun = false
      schedule()
    }
    const timer = setTimeout(goOn, TOGETHER_MS)
    void run(take()).finally(goOn)
  }

  function take(): Group[] {
    const groups: Group[] = []
    let room = size
    for (let next = waiting[0]; next && next.messages.length <= room; next = waiting[0]) {
      waiting.shift()
      room -= next.messages.length
      if (next.signal.aborted) next.end([])
      else groups.push(next)
    }
    return groups
  }

  async function run(groups: readonly Group[]): Promise<void> {
    const results = groups.length > 1 ? await handleTogether(groups) : []
    if (results.every((each) => each === 'untried')) {
      for (const group of groups) await handleApart(group)
      return
    }
    let from = 0
    const behind: Group[] = []
    for (const group of groups) {
      const own = results.slice(from, (from += group.messages.length))
      if (own.every((each) => each === 'untried')) behind.push(group)
      else group.end(own)
    }
    waiting.unshift(...behind)
    // Behind a call that took long the next one is not begun by its end.
    schedule()
  }

  /** For each message; nothing where the call says nothing of single ones. */
  async function handleTogether(groups: readonly Group[]): Promise<readonly Handled[]> {
    const messages = groups.flatMap((group) => group.messages)
    const signal = AbortSignal.any(groups.map((group) => group.signal))
    try {
      const results = await handle(messages, { signal })
      return messages.map((_, i) => results[i] ?? 'untried')
    } catch {
      return []
    }
  }

  async function handleApart({ messages, signal, end, fail }: Group): Promise<void> {
    try {
      end(await handle(messages, { signal }))
    } catch (error) {
      fail(error)
    }
  }

  return {
    size,
    handle: (messages, { signal }) =>
      new Promise((end, fail) => {
        waiting.push({ messages, signal, end, fail })
        schedule()
      }),
  }
}

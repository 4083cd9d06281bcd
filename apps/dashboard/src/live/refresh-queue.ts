/** Reads again what is on screen, one thing after the other, however much happens. */
export interface RefreshQueue {
  /** Asks for a refresh; a second one before it ran is the same one. */
  add(name: string): void
}

export interface RefreshQueueOptions {
  /** Starts the requests of one thing; how many there were. */
  readonly run: (name: string) => number
  /** Time that one request takes from the window's share. */
  readonly perRequestMs: number
}

/**
 * A window asks as often on a busy system as on a quiet one: after so many requests it waits that many
 * times as long. The first one after a rest runs at once.
 */
export function createRefreshQueue({ run, perRequestMs }: RefreshQueueOptions): RefreshQueue {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    timer = undefined
    const [name] = waiting
    if (name === undefined) return
    waiting.delete(name)
    const requests = run(name)
    // Nothing of it is on screen any more: the next one need not wait.
    if (requests === 0) next()
    else timer = setTimeout(next, requests * perRequestMs)
  }
  return {
    add(name) {
      waiting.add(name)
      if (timer === undefined) next()
    },
  }
}

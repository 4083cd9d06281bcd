export interface Throttle {
  call(): void
  close(): void
}

/** Runs the work at once, and again after the pause if it was called for meanwhile. */
export function createThrottle(everyMs: number, work: () => void): Throttle {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const rest = () => {
    timer = undefined
    if (isWanted) run()
  }
  const run = () => {
    isWanted = false
    timer = setTimeout(rest, everyMs)
    work()
  }
  return {
    call() {
      isWanted = true
      if (timer === undefined) run()
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** Runs work when there is room for it; what waits is run in its order. */
export type Limit = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Lets so many pieces of work run at once. */
export function createLimit(most: number): Limit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

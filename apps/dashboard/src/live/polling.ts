import { useEffect, useSyncExternalStore } from 'react'

/** How often the parts of a page that are on no stream are read anew. */
const intervals = new Set<{ readonly everyMs: number }>()
const listeners = new Set<() => void>()

function change(work: () => void): void {
  work()
  for (const listener of listeners) listener()
}

/** Says that a part of the page is read anew so often, as long as it is shown. */
export function useSayPolling(everyMs: number): void {
  useEffect(() => {
    const mine = { everyMs }
    change(() => intervals.add(mine))
    return () => change(() => intervals.delete(mine))
  }, [everyMs])
}

/** The longest of those intervals; undefined where everything follows the stream. */
export function usePolling(): number | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () =>
      intervals.size === 0 ? undefined : Math.max(...[...intervals].map(({ everyMs }) => everyMs)),
  )
}

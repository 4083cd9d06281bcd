import { useMemo, useState } from 'react'

/** Which rows are selected, by their ids. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  has(id: string): boolean
  toggle(id: string): void
  /** Selects these beside the others. */
  add(ids: Iterable<string>): void
  /** Selects these; all others are not. */
  replace(ids: Iterable<string>): void
  clear(): void
}

const NONE: ReadonlySet<string> = new Set()

export function useSelection(): Selection {
  const [ids, setIds] = useState(NONE)
  return useMemo(
    () => ({
      ids,
      has: (id) => ids.has(id),
      toggle: (id) => setIds((before) => toggle(before, id)),
      add: (more) => setIds((before) => new Set([...before, ...more])),
      replace: (chosen) => setIds(new Set(chosen)),
      clear: () => setIds(NONE),
    }),
    [ids],
  )
}

function toggle(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

import { useNavigate, useSearch } from '@tanstack/react-router'

interface Opened {
  /** Of what is open beside the table. */
  readonly id: string | undefined
  open(id: string): void
  close(): void
}

/** Which row is open, as the address says: `?open=…`. Back closes it. */
export function useOpened(): Opened {
  const { open: id } = useSearch({ strict: false }) as { open?: string }
  const navigate = useNavigate()
  const go = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, open: next }),
      resetScroll: false,
    } as never)
  return { id, open: go, close: () => go(undefined) }
}

/** The rows beside the one that is open; undefined at an end of what has been read. */
export interface Neighbours {
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
}

/** What a drawer goes on to, in the order of its table. */
export function neighboursOf<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  opened: Opened,
): Neighbours {
  const at = rows.findIndex((row) => idOf(row) === opened.id)
  const goTo = (index: number) => {
    const row = at === -1 ? undefined : rows[index]
    return row === undefined ? undefined : () => opened.open(idOf(row))
  }
  return { previous: at === 0 ? undefined : goTo(at - 1), next: goTo(at + 1) }
}

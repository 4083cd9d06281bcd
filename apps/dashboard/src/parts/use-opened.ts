import { useNavigate, useSearch } from '@tanstack/react-router'

export interface Opened {
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

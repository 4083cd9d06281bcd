import { useFresh } from '../../live/use-fresh.ts'

/** Reads anew what is shown of families when one of their events moves. */
export function useFamilyChanges(): void {
  useFresh(
    ['families'],
    (event) => event.kind === 'transition' && event.outbox === 'families.events',
  )
}

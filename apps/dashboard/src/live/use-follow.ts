import { useEffect, useRef } from 'react'
import type { LiveBatch } from './live.ts'
import { useLive } from './live-context.tsx'
import type { AnnouncementEvent, TransitionEvent } from './live-event.ts'

/** Calls the listener with what happens, at most some times a second. */
export function useFollow(listener: (batch: LiveBatch) => void): void {
  const live = useLive()
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => live?.follow((batch) => latest.current(batch)), [live])
}

/** AnnouncementFeed of a topic, and of one thing if it is named. */
export function useAnnouncements(
  subject: { readonly topic: string; readonly id?: string },
  listener: (announcements: readonly AnnouncementEvent[]) => void,
): void {
  useFollow(({ events }) => {
    const mine = events.filter(
      (event): event is AnnouncementEvent =>
        event.kind === 'announcement' &&
        event.topic === subject.topic &&
        (subject.id === undefined || event.id === subject.id),
    )
    if (mine.length > 0) listener(mine)
  })
}

/** Transitions of one outbox, or of all. */
export function useTransitions(
  outbox: string | undefined,
  listener: (transitions: readonly TransitionEvent[]) => void,
): void {
  useFollow(({ events }) => {
    const mine = events.filter(
      (event): event is TransitionEvent =>
        event.kind === 'transition' && (outbox === undefined || event.outbox === outbox),
    )
    if (mine.length > 0) listener(mine)
  })
}

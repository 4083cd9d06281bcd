import type { ServerEvent } from './event-parser.ts'

/** A message went from one state to another. */
export interface TransitionEvent {
  readonly kind: 'transition'
  readonly id: string
  readonly outbox: string
  readonly messageId: string
  readonly from: string | null
  readonly to: string
  readonly at: string
}

/** An operator did something. */
export interface OperationEvent {
  readonly kind: 'operation'
  readonly id: string
  readonly outbox: string | null
  readonly operation: string
  readonly at: string
}

/** A system says something of one of its things; the topic `*` means that something was missed. */
export interface AnnouncementEvent {
  readonly kind: 'announcement'
  readonly topic: string
  readonly id: string
  readonly data: unknown
}

export type LiveEvent = TransitionEvent | OperationEvent | AnnouncementEvent

/** Undefined for positions, for what a newer server says, and for what cannot be read. */
export function liveEventIn({ event, data }: ServerEvent): LiveEvent | undefined {
  if (event !== 'transition' && event !== 'operation' && event !== 'announcement') return undefined
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value !== 'object' || value === null) return undefined
    return { ...value, kind: event } as LiveEvent
  } catch {
    return undefined
  }
}

import type { MessageState } from '../message.ts'
import type { Report } from './report.ts'

/**
 * What a report does to a message: takes it there, is written down only, came too late (and is
 * written down as that), or says nothing new.
 */
export type Move = 'SENT' | 'DELIVERED' | 'FAILED' | 'noted' | 'late' | 'nothing'

/** Never from FAILED or CANCELLED, never down from DELIVERED; otherwise as the provider says. */
const MOVES: Readonly<Record<MessageState, Readonly<Record<Report['status'], Move>>>> = {
  QUEUED: { sent: 'SENT', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  SENDING: { sent: 'SENT', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  SENT: { sent: 'noted', delivered: 'DELIVERED', read: 'DELIVERED', failed: 'FAILED' },
  DELIVERED: { sent: 'nothing', delivered: 'noted', read: 'noted', failed: 'late' },
  FAILED: { sent: 'late', delivered: 'late', read: 'late', failed: 'nothing' },
  CANCELLED: { sent: 'late', delivered: 'late', read: 'late', failed: 'nothing' },
}

/** A failure of an earlier attempt is no news: the message has been tried again since. */
const OF_AN_EARLIER_ATTEMPT: Readonly<Record<Report['status'], Move | undefined>> = {
  sent: 'nothing',
  failed: 'late',
  // However it got there, it got there.
  delivered: undefined,
  read: undefined,
}

export function moveOf(
  state: MessageState,
  report: Report,
  { isEarlier }: { isEarlier: boolean },
): Move {
  const move = MOVES[state][report.status]
  return isEarlier ? (OF_AN_EARLIER_ATTEMPT[report.status] ?? move) : move
}

/** What a series of reports makes of a message, step by step. */
export interface Course {
  readonly state: MessageState
  readonly steps: readonly { readonly report: Report; readonly move: Move }[]
}

export function courseOf(
  start: MessageState,
  reports: readonly { report: Report; isEarlier: boolean }[],
): Course {
  let state = start
  const steps = reports.map(({ report, isEarlier }) => {
    const move = moveOf(state, report, { isEarlier })
    if (move === 'SENT' || move === 'DELIVERED' || move === 'FAILED') state = move
    return { report, move }
  })
  return { state, steps }
}

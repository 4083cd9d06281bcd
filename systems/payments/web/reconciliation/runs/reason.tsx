import { StateBadge, type StateRole } from '@posthorn/dashboard/kit'
import type { Exception } from './run.ts'

export type Reason = Exception['reason']

interface ReasonLook {
  readonly word: string
  readonly role: StateRole
  /** What it means and what to do, in two sentences at most. */
  readonly note: string
}

export const REASON_LOOKS: Readonly<Record<Reason, ReasonLook>> = {
  exact_match: {
    word: 'exact match',
    role: 'confirmed',
    note: 'Id, amount and currency are those of the payment.',
  },
  manual_match: { word: 'matched manually', role: 'confirmed', note: 'A user matched it.' },
  amount_mismatch: {
    word: 'amount differs',
    role: 'failing',
    note: 'A payment of that id and currency has another amount. Match it with the difference as a fee or rounding, or ask the bank.',
  },
  currency_mismatch: {
    word: 'currency differs',
    role: 'failing',
    note: 'The payments of that id are in another currency. Check whether the statement or the payment is wrong.',
  },
  duplicate: {
    word: 'duplicate',
    role: 'retry',
    note: 'An earlier line of this or another file has the payment. Ignore the line if the bank booked it twice by mistake.',
  },
  no_match: {
    word: 'no match',
    role: 'dead',
    note: 'No payment has that id. It may appear by the next run; find suggestions, or match it manually.',
  },
  manual_unmatch: {
    word: 'unmatched by hand',
    role: 'failing',
    note: 'A user removed its match. Runs skip it until it is reopened.',
  },
  ignored: {
    word: 'ignored',
    role: 'cancelled',
    note: 'A user ignored it. Reopen it to include it in runs again.',
  },
  reopened: {
    word: 'reopened',
    role: 'ready',
    note: 'The next run includes it again.',
  },
  discarded: {
    word: 'discarded',
    role: 'cancelled',
    note: 'Its file was discarded, and its match undone.',
  },
}

export const REASONS = Object.keys(REASON_LOOKS) as readonly Reason[]

/** Why a record is as it is; null before the first run. */
export function ReasonBadge({ reason }: { reason: Reason | null }) {
  if (reason === null) return <StateBadge state="not compared yet" role={undefined} />
  const { word, role } = REASON_LOOKS[reason]
  return <StateBadge state={word} role={role} />
}

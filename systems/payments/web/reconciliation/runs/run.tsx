import {
  type Answer,
  type ItemOf,
  type List,
  StateBadge,
  type StateRole,
  useListOf,
} from '@posthorn/dashboard/kit'

type Below = '/api/v1/reconciliations'

export type Run = Answer<`${Below}/{id}`>
export type ListedRun = ItemOf<Below>
export type Exception = ItemOf<`${Below}/{id}/exceptions`>
export type Listed = ItemOf<`${Below}/{id}/records`>
export type RecordDetails = Answer<`${Below}/{id}/records/{recordId}`>
export type PaymentSide = RecordDetails['payments'][number]
export type RefundSide = ItemOf<`${Below}/{id}/refunds`>
export type Suggestion = RecordDetails['suggestions'][number]
export type Overview = Answer<`${Below}/overview`>

export type Statement = ItemOf<`${Below}/{id}/statements`>

export const FORMAT_WORDS: Readonly<Record<Run['format'], string>> = {
  csv: 'CSV',
  'camt.053': 'camt.053 (ISO 20022)',
  mt940: 'MT940 (SWIFT)',
}

export const RUN_STATES = ['loaded', 'running', 'completed', 'discarded'] as const

/** The role of a message in the same state. */
export const RUN_ROLES: Readonly<Record<ListedRun['status'], StateRole>> = {
  loaded: 'ready',
  running: 'claimed',
  completed: 'confirmed',
  discarded: 'cancelled',
}

export interface Period {
  readonly from?: string
  readonly to?: string
  readonly settlesWithin?: number
}

const ALL: Period = {}

/** Payments that no record matches, or only partly. */
export function useMissing(id: string, period: Period = ALL): List<PaymentSide> {
  return useListOf(
    '/api/v1/reconciliations/{id}/missing',
    ['reconciliation', id, 'missing', period],
    { path: { id }, query: period },
  )
}

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
  payment_not_succeeded: {
    word: 'payment not succeeded',
    role: 'failing',
    note: 'The bank has the money, but the payment is pending or failed. It settles itself once the payment succeeds; else ask the gateway.',
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
    word: 'unmatched manually',
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

/** The reason of a record; null before the first run. */
export function ReasonBadge({ reason }: { reason: Reason | null }) {
  if (reason === null) return <StateBadge state="not compared yet" role={undefined} />
  const { word, role } = REASON_LOOKS[reason]
  return <StateBadge state={word} role={role} />
}

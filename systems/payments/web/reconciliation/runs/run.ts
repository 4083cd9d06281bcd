import {
  type Answer,
  type ItemOf,
  type List,
  type StateRole,
  useListOf,
} from '@posthorn/dashboard/kit'

type Below = '/api/v1/reconciliations'

export type Run = Answer<`${Below}/{id}`>
export type ListedRun = ItemOf<Below>
export type Exceptions = Answer<`${Below}/{id}/exceptions`>
export type Exception = Exceptions['items'][number]
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

/** Files look like messages that are as far as they are. */
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

/** Payments that no record has, or not all of. */
export function useMissing(id: string, period: Period = ALL): List<PaymentSide> {
  return useListOf(
    '/api/v1/reconciliations/{id}/missing',
    ['reconciliation', id, 'missing', period],
    { path: { id }, query: period },
  )
}

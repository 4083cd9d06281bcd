import {
  dataOf,
  type List,
  type paths,
  type StateRole,
  useApi,
  useList,
} from '@posthorn/dashboard/kit'

type Below = '/api/v1/reconciliations'

export type Run = paths[`${Below}/{id}`]['get']['responses']['200']['content']['application/json']
export type ListedRun =
  paths[Below]['get']['responses']['200']['content']['application/json']['items'][number]
export type Exceptions =
  paths[`${Below}/{id}/exceptions`]['get']['responses']['200']['content']['application/json']
export type Exception = Exceptions['items'][number]
export type Listed =
  paths[`${Below}/{id}/records`]['get']['responses']['200']['content']['application/json']['items'][number]
export type RecordDetails =
  paths[`${Below}/{id}/records/{recordId}`]['get']['responses']['200']['content']['application/json']
export type PaymentSide = RecordDetails['payments'][number]
export type RefundSide =
  paths[`${Below}/{id}/refunds`]['get']['responses']['200']['content']['application/json']['items'][number]
export type Suggestion = RecordDetails['suggestions'][number]
export type Overview =
  paths[`${Below}/overview`]['get']['responses']['200']['content']['application/json']

export type Statement =
  paths[`${Below}/{id}/statements`]['get']['responses']['200']['content']['application/json']['items'][number]

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
  const api = useApi()
  return useList<PaymentSide>({
    queryKey: ['reconciliation', id, 'missing', period],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/missing', {
          params: { path: { id }, query: { ...period, ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
}

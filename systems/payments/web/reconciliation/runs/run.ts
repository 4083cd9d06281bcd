import type { paths } from '../../api/schema.d.ts'
import type { StateRole } from '../../states/role.ts'

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
export type Change =
  paths[`${Below}/{id}/changes`]['get']['responses']['200']['content']['application/json']['items'][number]
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

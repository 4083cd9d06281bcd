import type { paths } from '../../api/schema.d.ts'

export type Pass =
  paths['/api/v1/reconciliations/{id}/suggest']['post']['requestBody']['content']['application/json']['passes'][number]

/** What to look for, as a person says it. */
export interface Wishes {
  readonly amount: boolean
  readonly percent: number
  readonly date: boolean
  readonly days: number
  readonly payout: boolean
  /** Of the metadata; empty: by day. */
  readonly field: string
  readonly split: boolean
}

export const USUAL_WISHES: Wishes = {
  amount: true,
  percent: 5,
  date: true,
  days: 3,
  payout: false,
  field: 'payout_id',
  split: false,
}

/** Hundredths of a percent that a payout's fee may be. */
const MOST_FEE_BPS = 1_000

export function passesOf({ amount, percent, date, days, payout, field, split }: Wishes): Pass[] {
  const by = field.trim() === '' ? ('date' as const) : { metadata: field.trim() }
  return [
    ...(amount ? [{ kind: 'amount_tolerance' as const, bps: Math.round(percent * 100) }] : []),
    ...(date ? [{ kind: 'date_window' as const, before: days, after: days }] : []),
    ...(payout ? [{ kind: 'many_to_one' as const, by, fee: { bps: MOST_FEE_BPS } }] : []),
    ...(split ? [{ kind: 'one_to_many' as const }] : []),
  ]
}

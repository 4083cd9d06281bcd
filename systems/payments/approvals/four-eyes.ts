import type { Queryable } from '@posthorn/engine'
import { ProblemError } from '@posthorn/http'
import { problem } from '../problems.ts'
import { selectLimits, type Limit } from './queries.ts'

/** How much, of whom. */
export interface Weighed {
  readonly org: string
  readonly currency: string
  /** In minor units, of either sign. */
  readonly amount: number
}

/** Above which amounts a second person is needed. */
export interface FourEyes {
  /** What holds where an organisation has said nothing. */
  readonly defaults: readonly Limit[]
}

/** Whether an act is to be weighed, or was approved already. */
export type Approval = FourEyes | 'approved'

/** Throws `APPROVAL_REQUIRED` for what is above the limit and not approved. */
export async function requireApproval(
  db: Queryable,
  approval: Approval,
  { org, currency, amount }: Weighed,
): Promise<void> {
  if (approval === 'approved') return
  const limits = [...(await selectLimits(db, org)), ...approval.defaults]
  const limit = limitOf(limits, currency)
  if (limit === null || Math.abs(amount) <= limit) return
  throw problem('APPROVAL_REQUIRED', {
    detail: `More than ${limit} ${currency} (minor units) takes a second person.`,
    extensions: { amount: Math.abs(amount), currency, limit },
  })
}

/** The limit of a currency, null if there is none: the organisation's own words come first. */
export function limitOf(limits: readonly Limit[], currency: string): number | null {
  const found =
    limits.find((each) => each.currency === currency) ??
    limits.find((each) => each.currency === '*')
  return found?.amount ?? null
}

/** The limits of a setting, as `EUR=100000,*=0`. */
export function readLimits(setting: string | undefined): Limit[] {
  if (setting === undefined) return []
  return setting.split(',').map((pair) => {
    const [currency = '', amount = ''] = pair.split('=')
    return { currency, amount: Number(amount) }
  })
}

/** What was too much, if that is why something was refused. */
export function tooMuch(error: unknown): { amount: number; currency: string } | undefined {
  if (!(error instanceof ProblemError) || error.code !== 'APPROVAL_REQUIRED') return undefined
  const { amount, currency } = error.extensions as { amount: number; currency: string }
  return { amount, currency }
}

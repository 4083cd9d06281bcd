import { stepsWith, type DemoChapter } from '@posthorn/system'
import { payments } from './payments.ts'
import { reconciliation } from './reconciliation.ts'
import { outage, subscription, trouble } from './webhooks.ts'

/** What later steps need from earlier ones. */
export interface Notes {
  /** Payments of this run that succeeded, oldest first. */
  readonly payments: { readonly id: string; readonly name: string; readonly amount: number }[]
  /** Ids of the merchant's endpoints, by name. */
  readonly endpoints: Map<string, string>
}

export const demo: DemoChapter = {
  simulators: ['gateway', 'merchant'],
  steps() {
    const notes: Notes = { payments: [], endpoints: new Map() }
    return stepsWith(notes, [subscription, payments, outage, reconciliation, trouble])
  },
}

import { conversation } from './chapters/conversation.ts'
import { retries, upload } from './chapters/evidence.ts'
import { families } from './chapters/families.ts'
import { messages } from './chapters/messages.ts'
import { orders } from './chapters/orders.ts'
import { payments } from './chapters/payments.ts'
import { reconciliation } from './chapters/reconciliation.ts'
import { outage, subscription, trouble } from './chapters/webhooks.ts'
import type { Step } from './step.ts'

/** All five systems, with what goes wrong in each; the last step leaves something to be mended. */
export const STORY: readonly Step[] = [
  subscription,
  orders,
  payments,
  outage,
  messages,
  conversation,
  families,
  upload,
  retries,
  reconciliation,
  trouble,
]

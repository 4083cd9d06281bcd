import { alerts } from './alerts/index.ts'
import { audit } from './audit/index.ts'
import { deadLetters } from './dead-letters/index.ts'
import { demo } from './demo/index.ts'
import { families } from './families/index.ts'
import { fileJobs } from './file-jobs/index.ts'
import { messages } from './messages/index.ts'
import { outbound } from './outbound/index.ts'
import { outboxes } from './outboxes/index.ts'
import { overview } from './overview/index.ts'
import type { Page } from './page.ts'
import { payments } from './payments/index.ts'
import { reconciliation } from './reconciliation/index.ts'
import { sagas } from './sagas/index.ts'
import { simulators } from './simulators/index.ts'
import { webhooks } from './webhooks/index.ts'

/** Every page, in the order of the navigation. */
export const pages: readonly Page[] = [
  overview,
  outboxes,
  messages,
  deadLetters,
  alerts,
  audit,
  payments,
  webhooks,
  fileJobs,
  reconciliation,
  outbound,
  sagas,
  families,
  simulators,
  demo,
]

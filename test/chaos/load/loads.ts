import { evidence } from './evidence.ts'
import { families } from './families.ts'
import type { Load } from './load.ts'
import { messages } from './messages.ts'
import { orders } from './orders.ts'
import { payments } from './payments.ts'

/** All of them but the events of the run itself, which do not go through the API. */
export const loads: readonly Load[] = [payments, messages, orders, families, evidence]

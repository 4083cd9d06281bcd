import { evidence } from '@posthorn/evidence'
import { families } from '@posthorn/families'
import { incidents } from '@posthorn/incidents'
import { messages, messagesWith } from '@posthorn/messages'
import { orders } from '@posthorn/orders'
import { enqueueEvent, payments, selectEventDeliveries } from '@posthorn/payments'
import type { SystemList } from '@posthorn/server'

/** What `npm start` runs. POSTHORN_SYSTEMS chooses some of them. */
export const systems: SystemList = (runs) => [
  orders,
  // The webhooks of payments tell merchants about their files and about replies to their messages.
  runs('payments') ? messagesWith({ notify: enqueueEvent }) : messages,
  payments,
  evidence(runs('payments') ? { notify: enqueueEvent, findDeliveries: selectEventDeliveries } : {}),
  families,
  incidents,
]

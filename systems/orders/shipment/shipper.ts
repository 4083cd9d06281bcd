import { BookShipment, COMMANDS, REPLIES } from '../events.ts'
import { reply } from '../outbox.ts'
import { participant, type ParticipantOptions } from '../participant.ts'
import type { SystemConsumer } from '../../system.ts'
import { bookShipment } from './queries.ts'

export const SHIPMENTS = 'orders.shipments'

/** Books shipments. The booking, the inbox row and the answer commit together. */
export function shipper(options: ParticipantOptions): SystemConsumer {
  const { events } = options
  return participant(options, {
    group: SHIPMENTS,
    command: COMMANDS.book,
    payload: BookShipment,
    async write(tx, { message, orgId, payload: { orderId } }) {
      const booked = await bookShipment(tx, { orderId, orgId }, trackingCodeOf(orderId))
      // The saga no longer waits for an answer.
      if (booked.status === 'CANCELLED') return
      const payload = { orderId, trackingCode: booked.tracking_code }
      await reply(tx, { events, to: message }, { from: SHIPMENTS, type: REPLIES.booked, payload })
    },
  })
}

function trackingCodeOf(orderId: string): string {
  return `PH-${orderId.replaceAll('-', '').toUpperCase()}`
}

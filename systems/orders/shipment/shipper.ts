import { BookShipment, COMMANDS, REPLIES, UNDONE_BEFORE } from '../events.ts'
import { reply } from '../outbox.ts'
import { participant, type ParticipantOptions } from '../participant.ts'
import type { SystemConsumer } from '@posthorn/system'
import { bookShipment } from '../queries.ts'

export const SHIPMENTS = 'orders.shipments'

/** Books shipments. The booking, the inbox row and the answer commit together. */
export function shipper(options: ParticipantOptions): SystemConsumer {
  const { events } = options
  return participant(options, {
    group: SHIPMENTS,
    command: COMMANDS.book,
    payload: BookShipment,
    refusal: REPLIES.notBooked,
    async write(tx, { message, orgId, payload: { orderId } }) {
      const booked = await bookShipment(tx, { orderId, orgId }, trackingCodeOf(orderId))
      const to = { events, to: message }
      const from = SHIPMENTS
      if (booked.status === 'CANCELLED') {
        const payload = { orderId, ...UNDONE_BEFORE }
        return reply(tx, to, { from, type: REPLIES.notBooked, payload })
      }
      const payload = { orderId, trackingCode: booked.tracking_code }
      await reply(tx, to, { from, type: REPLIES.booked, payload })
    },
  })
}

function trackingCodeOf(orderId: string): string {
  return `PH-${orderId.replaceAll('-', '').toUpperCase()}`
}

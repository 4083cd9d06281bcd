import { BookShipment, COMMANDS, REPLIES, UNDONE_BEFORE } from '../events.ts'
import { participant, type ParticipantOptions } from '../participant.ts'
import type { SystemConsumer } from '@posthorn/system'
import { bookShipment } from '../queries.ts'

export const SHIPMENTS = 'orders.shipments'

/** Books shipments. The booking, the inbox row and the answer commit together. */
export function shipper(options: ParticipantOptions): SystemConsumer {
  return participant(options, {
    group: SHIPMENTS,
    command: COMMANDS.book,
    payload: BookShipment,
    refusal: REPLIES.notBooked,
    async write(tx, { orgId, payload: { orderId }, answer }) {
      const booked = await bookShipment(tx, { orderId, orgId }, trackingCodeOf(orderId))
      await (booked.status === 'CANCELLED'
        ? answer(tx, REPLIES.notBooked, { orderId, ...UNDONE_BEFORE })
        : answer(tx, REPLIES.booked, { orderId, trackingCode: booked.tracking_code }))
    },
  })
}

function trackingCodeOf(orderId: string): string {
  return `PH-${orderId.replaceAll('-', '').toUpperCase()}`
}

import type { DemoStep } from '@posthorn/system'

interface Message {
  readonly id: string
  readonly status: string
  readonly errorCode: string | null
}

/** By the last digits of a number the simulator knows what to do. */
const MESSAGES = [
  { digits: '1234', status: 'DELIVERED', what: 'One message is delivered and read' },
  { digits: '0429', status: 'DELIVERED', what: 'One met the rate limit, waited, and is delivered' },
  { digits: '0026', status: 'FAILED', what: 'One number is not on WhatsApp, as a webhook says' },
  { digits: '0047', status: 'FAILED', what: 'One was refused for good: no second attempt is made' },
] as const

export const messages: DemoStep = {
  id: 'messages',
  title: 'Messages by WhatsApp',
  about:
    'Four messages: one is delivered, one runs into the rate limit first, one goes to a number that ' +
    'does not exist there, one may not be sent. Codes that can never succeed are not tried again.',
  look: [
    { label: 'Sent messages', path: '/outbound' },
    { label: 'WhatsApp', path: '/simulators/whatsapp' },
  ],
  async play({ api, run, tell }) {
    const queued = await Promise.all(
      MESSAGES.map(({ digits }) =>
        api.post<Message>('/api/v1/outbound/messages', {
          json: {
            channel: 'whatsapp',
            to: `+1650${exchangeOf(run)}${digits}`,
            templateCode: 'otp_code',
            payloadJson: { language: 'en_US', parameters: ['4711'] },
          },
          headers: { 'idempotency-key': `demo-${run}-${digits}` },
        }),
      ),
    )
    for (const [i, { id }] of queued.entries()) {
      const { status, what } = MESSAGES[i] ?? MESSAGES[0]
      const path = `/api/v1/outbound/messages/${id}`
      const { errorCode } = await api.until<Message>(path, (message) => message.status === status)
      tell(`${what}: ${status}${errorCode === null ? '' : ` with code ${errorCode}`}.`)
    }
  },
}

/** Three digits of a telephone number that no other run is likely to have. */
export function exchangeOf(run: string): number {
  return 200 + (Number.parseInt(run.slice(-6), 16) % 800)
}

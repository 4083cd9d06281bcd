import type { DemoChapter, DemoStep } from '@posthorn/system'

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

interface Sent {
  readonly id: string
  readonly status: string
}

interface Conversations {
  readonly items: readonly {
    readonly id: string
    readonly lastText: string | null
    readonly withdrawn: unknown
  }[]
}

export const conversation: DemoStep = {
  id: 'conversation',
  title: 'A person answers',
  about:
    'A reminder goes out and the person writes back, which allows free text for 24 hours. Then the ' +
    'person writes STOP: from that moment every message to this number is refused.',
  look: [
    { label: 'Conversations', path: '/conversations' },
    { label: 'Write as a person', path: '/simulators/whatsapp' },
  ],
  async play({ api, run, tell }) {
    const to = `+1650${exchangeOf(run)}5678`
    const template = {
      ...{ channel: 'whatsapp', to, templateCode: 'appointment_reminder' },
      payloadJson: { language: 'en_US', parameters: ['Monday', '10:00'] },
    }
    const send = (json: object, key: string, path = '/api/v1/outbound/messages') =>
      api.post<Sent>(path, { json, headers: { 'idempotency-key': `demo-${run}-${key}` } })
    const untilDelivered = ({ id }: Sent) =>
      api.until<Sent>(
        `/api/v1/outbound/messages/${id}`,
        (message) => message.status === 'DELIVERED',
      )
    const writes = async (text: string) => {
      await api.post('/sim/whatsapp/inbound', { json: { from: to, text, name: 'Ada Lovelace' } })
      const path = `/api/v1/conversations?recipient=${encodeURIComponent(to)}`
      const { items } = await api.until<Conversations>(
        path,
        (page) => page.items[0]?.lastText === text,
      )
      return items[0]?.id ?? ''
    }

    await untilDelivered(await send(template, 'reminder'))
    const id = await writes('Yes, I will come. Where is it?')
    tell('The person has answered; the answer stands beside the reminder, and a session is open.')
    const text = 'At 12 Station Road, first floor.'
    const answer = await send({ text }, 'answer', `/api/v1/conversations/${id}/messages`)
    await untilDelivered(answer)
    tell('Free text went back within the session, from the number that the person wrote to.')
    await writes('STOP')
    await api.post('/api/v1/outbound/messages', { json: template, expect: [403] })
    tell('STOP withdrew consent: another reminder was refused with RECIPIENT_OPTED_OUT.')
  },
}

export const demo: DemoChapter = { simulators: ['whatsapp'], steps: () => [messages, conversation] }

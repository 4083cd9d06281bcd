import { outboxConformance, printStatements, testDatabase } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { messages } from './index.ts'
import type { OutboundMessage } from './message.ts'
import { outboundOutbox, TRANSPORT } from './outbox.ts'
import { providersOf } from './providers/provider.ts'
import { WhatsAppCloudApiProvider } from './providers/whatsapp.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })

const OPTIONS = {
  apiUrl: () => '',
  version: 'v23.0',
  own: {
    id: 'whatsapp',
    orgId: null,
    accessToken: '',
    numberIds: ['1', '2', '3'],
    credentials: '',
  },
  perSecond: 80,
  timeoutMs: 1_000,
}
const whatsapp = new WhatsAppCloudApiProvider(OPTIONS)

const outbox = outboundOutbox({
  providers: providersOf([whatsapp]),
  ...{ unheard: '5s', batch: 10, atOnce: 40, unknown: 'resend', unknownWait: '2m', stale: '10m' },
})

outboxConformance<OutboundMessage>(outbox, {
  pool: () => database.pool,
  transports: [TRANSPORT],
  sample: (n) => ({
    ...{ org_id: 'acme', channel: 'whatsapp', template_code: 'otp_code', payload_json: {} },
    to_recipient: `+1650555${1_000 + (n % 9_000)}`,
    idempotency_key: `${n} ${Math.random()}`,
    request_fingerprint: '',
  }),
  spoil: `channel = 'pigeon'`,
})

const senderOf = (to: string) => whatsapp.senderFor(to, whatsapp.own)

test('a recipient always has the same number, and all numbers have recipients', () => {
  const senders = Array.from({ length: 300 }, (_, n) => senderOf(`+1650555${1_000 + n}`))
  expect(new Set(senders)).toEqual(new Set(['1', '2', '3']))
  expect(senderOf('+16505551000')).toBe(senders[0])
})

test('a new number takes its part of the recipients, and the others keep theirs', () => {
  const ofFour = (to: string) => whatsapp.senderFor(to, { numberIds: ['1', '2', '3', '4'] })
  const recipients = Array.from({ length: 400 }, (_, n) => `+1650555${1_000 + n}`)
  const moved = recipients.filter((to) => ofFour(to) !== senderOf(to))
  expect(moved.length).toBeGreaterThan(50)
  expect(moved.length).toBeLessThan(150)
  expect(new Set(moved.map(ofFour))).toEqual(new Set(['4']))
})

test('the statements stand whole in statements/', async () => {
  await expect(printStatements(outbox)).toMatchFileSnapshot('./statements/outbound.sql')
})

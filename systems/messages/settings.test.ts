import { silentLog } from '@posthorn/engine'
import { createSealing, readSettings } from '@posthorn/system'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { messages } from './index.ts'

const read = (env: Record<string, string>, production = false) =>
  readSettings(messages.settings, { env, production })

function open(env: Record<string, string>, production: boolean) {
  return messages.open({
    ...{ pool: new Pool({ max: 1 }), log: silentLog, production },
    settings: read(env).values,
    baseUrl: () => 'http://127.0.0.1:4600',
    sealing: createSealing(['a key of at least thirty-two characters']),
    simulatorAddress: async () => undefined,
  })
}

test('development needs nothing; production names its address and its secrets', () => {
  expect(read({}).mistakes).toEqual([])
  expect(read({}, true).mistakes.map((mistake) => mistake.split(' ')[0])).toEqual([
    'WHATSAPP_API_URL',
    'WHATSAPP_ACCESS_TOKEN',
    'WHATSAPP_APP_SECRET',
    'WHATSAPP_VERIFY_TOKEN',
    'WHATSAPP_PHONE_NUMBER_IDS',
    'OUTBOUND_EMAIL_URL',
  ])
})

test.each([
  { WHATSAPP_API_URL: 'graph.facebook.com' },
  { WHATSAPP_API_URL: 'https://graph.facebook.com/' },
  { WHATSAPP_PHONE_NUMBER_IDS: 'one,two' },
  { WHATSAPP_API_VERSION: '23' },
  { OUTBOUND_UNKNOWN_OUTCOME: 'perhaps' },
  { OUTBOUND_WORKER_BATCH_SIZE: '0' },
  { WHATSAPP_ALLOW_UNSIGNED: 'yes' },
  { OUTBOUND_EMAIL_URL: 'http://mail' },
])('%j is wrong', (env) => {
  expect(read(env).mistakes).toHaveLength(1)
})

test('a secret is not in the message that says it is wrong', () => {
  expect(read({ OUTBOUND_EMAIL_URL: 'http://user:hunter2@mail' }).mistakes[0]).not.toContain(
    'hunter2',
  )
})

test('interval and batch of the worker follow its settings, or it is off', () => {
  const env = { OUTBOUND_WORKER_POLL_INTERVAL_MS: '250', OUTBOUND_WORKER_BATCH_SIZE: '7' }
  expect(open(env, false).outboxes).toMatchObject([{ unheardMs: 250, batch: 7, leaseMs: 600_000 }])
  expect(open({}, false).outboxes).toMatchObject([{ unheardMs: 5_000, batch: 10 }])
  const idle = open({ OUTBOUND_WORKER_ENABLED: 'false' }, false)
  expect(idle.relayed).toEqual([])
  expect(idle.outboxes, 'operators still see it').toHaveLength(1)
})

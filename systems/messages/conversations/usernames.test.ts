import { testDatabase } from '@posthorn/engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messages } from '../index.ts'
import {
  MESSAGES,
  sample,
  startApi,
  webhookOf,
  type Resource,
  type TestApi,
} from '../testing/api.ts'

const database = await testDatabase({ migrations: [await messages.migrations()] })
const CONVERSATIONS = '/api/v1/conversations'
let api: TestApi

beforeAll(async () => {
  api = await startApi(database, { WHATSAPP_INBOUND_ORG: 'acme' })
})
afterAll(() => api.close())

let people = 0
/** A person with a number, and Meta's id of it. */
const newPerson = () => {
  people += 1
  return { to: `+1650${300 + people}1234`, userId: `US.1349120865530274${1_000 + people}` }
}
async function sendTemplate(to: string) {
  const { status, body } = await api.call('POST', MESSAGES, { body: sample(to) })
  if (status !== 201) return { status, id: '', wamid: '' }
  await api.relay.runOnce()
  const { body: message } = await api.call('GET', `${MESSAGES}/${body.id}`)
  return { status, id: body.id, wamid: String(message['providerMessageId']) }
}
/** A message of a person who hides the number, as Meta's webhook has it. */
const hidden = (userId: string | undefined, text: string, answers?: string) => ({
  ...(userId !== undefined && { from_user_id: userId }),
  ...{ id: `wamid.hidden.${(people += 1)}`, timestamp: String(Math.floor(Date.now() / 1_000)) },
  ...{ type: 'text', text: { body: text } },
  ...(answers !== undefined && { context: { from: '15550783881', id: answers } }),
})
const hear = async (userId: string | undefined, ...sent: object[]) => {
  const contacts = [{ profile: { name: 'Ada', username: 'ada.l' }, user_id: userId }]
  expect(await api.webhook(webhookOf({ contacts, messages: sent }))).toBe(200)
}
const conversationsWith = async (recipient: string) =>
  (
    await api.call<{ items: Resource[] }>(
      'GET',
      `${CONVERSATIONS}?recipient=${encodeURIComponent(recipient)}`,
    )
  ).body.items

test('STOP without a number counts for the person whose message it answers', async () => {
  const { to, userId } = newPerson()
  const { wamid } = await sendTemplate(to)
  await hear(userId, hidden(userId, 'STOP', wamid))
  expect(await sendTemplate(to)).toMatchObject({ status: 403 })
  expect(await conversationsWith(to)).toMatchObject([
    { recipient: to, contactName: 'Ada', withdrawn: { source: 'keyword' } },
  ])
})

test('neither a number nor an id is needed where it answers our message', async () => {
  const { to } = newPerson()
  const { wamid } = await sendTemplate(to)
  await hear(undefined, hidden(undefined, 'STOP', wamid))
  expect(await sendTemplate(to)).toMatchObject({ status: 403 })
  // Without all three it is nobody's.
  await hear(undefined, hidden(undefined, 'STOP'), hidden(undefined, 'STOP', 'wamid.unknown'))
  expect(
    await database.pool.query(`select from messages.inbound_message where answers is null`),
  ).toMatchObject({ rows: [] })
})

test('a person is known by an id once a report has named both', async () => {
  const { to, userId } = newPerson()
  const { wamid } = await sendTemplate(to)
  const report = { id: wamid, status: 'delivered', timestamp: '1769000200' }
  const both = { recipient_id: to.slice(1), recipient_user_id: userId }
  expect(await api.webhook(webhookOf({ statuses: [{ ...report, ...both }] }))).toBe(200)
  await hear(userId, hidden(userId, 'Stop!'))
  expect(await sendTemplate(to)).toMatchObject({ status: 403 })
})

test('a person is known by an id once a message has named both', async () => {
  const { to, userId } = newPerson()
  await sendTemplate(to)
  await hear(userId, { ...hidden(userId, 'Hello'), from: to.slice(1) })
  await hear(userId, hidden(userId, 'Stop.'))
  expect(await sendTemplate(to)).toMatchObject({ status: 403 })
  expect(await conversationsWith(to)).toHaveLength(1)
})

test('what a person said before the number was known holds for the number', async () => {
  const { to, userId } = newPerson()
  await hear(userId, hidden(userId, 'STOP'))
  expect(await conversationsWith(userId)).toMatchObject([
    { recipient: userId, withdrawn: { source: 'keyword' } },
  ])
  await hear(userId, { ...hidden(userId, 'It is me'), from: to.slice(1) })
  expect(await sendTemplate(to)).toMatchObject({ status: 403 })
})

test('an answer to a person without a number goes to the id', async () => {
  const { userId } = newPerson()
  await api.sim('POST', '/whatsapp/inbound', { userId, text: 'Hello' })
  await expect.poll(() => conversationsWith(userId)).toHaveLength(1)
  const [conversation] = await conversationsWith(userId)
  const answered = await api.call('POST', `${CONVERSATIONS}/${conversation?.id}/messages`, {
    body: { text: 'Hello to you' },
  })
  expect(answered.status).toBe(201)
  await api.relay.runOnce()
  const { body } = await api.call('GET', `${MESSAGES}/${answered.body.id}`)
  expect(body).toMatchObject({ to: userId, errorCode: null })
  const requests = (await api.sim('GET', '/whatsapp/requests'))['items'] as { body: object }[]
  expect(requests.map((request) => request.body)).toContainEqual(
    expect.objectContaining({ recipient: userId, type: 'text' }),
  )
})

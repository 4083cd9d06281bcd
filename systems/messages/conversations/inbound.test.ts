import { describe, expect, test } from 'vitest'
import { digestOf, formsOf } from '../phone-number.ts'
import { keywordsOf, meaningOf, readInbound } from './inbound.ts'

const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' }
const sent = (more: object) => ({
  ...{ id: 'wamid.1', from: '16505551234', timestamp: '1769000200' },
  ...more,
})
const read = (...messages: unknown[]) => readInbound([{ metadata, messages }])

describe('what people write', () => {
  test.each([
    ['a text', { type: 'text', text: { body: 'Hello' } }, 'Hello', 'Hello'],
    ['a button', { type: 'button', button: { payload: 'p', text: 'Yes' } }, 'Yes', 'Yes'],
    [
      'a reply to buttons',
      { type: 'interactive', interactive: { button_reply: { id: '1', title: 'Stop' } } },
      'Stop',
      'Stop',
    ],
    [
      'a choice from a list',
      { type: 'interactive', interactive: { list_reply: { id: '1', title: 'Two' } } },
      'Two',
      'Two',
    ],
    ['a picture', { type: 'image', image: { id: '9', caption: 'STOP' } }, 'STOP', null],
    ['a voice message', { type: 'audio', audio: { id: '9' } }, null, null],
    ['a reaction', { type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } }, '👍', null],
    ['a reaction that was taken back', { type: 'reaction', reaction: {} }, null, null],
    ['a kind of tomorrow', { type: 'hologram', hologram: { x: 1 } }, null, null],
    ['a kind that every object has', { type: 'constructor' }, null, null],
    ['what is not passed on', { type: 'unsupported', errors: [{ code: 131_051 }] }, null, null],
    ['a text that is none', { type: 'text', text: 7 }, null, null],
  ])('%s is read, and kept as it came', (_, parts, text, word) => {
    const { messages, others } = read(sent(parts))
    expect(others).toBe(0)
    expect(messages).toEqual([
      {
        ...{ providerMessageId: 'wamid.1', numberId: '106540352242922', from: '+16505551234' },
        ...{ kind: parts.type, text, word, contactName: null, userId: null },
        content: { id: 'wamid.1', timestamp: '1769000200', ...parts },
        answers: JSON.stringify(parts).includes('message_id') ? 'w' : null,
        sentAt: new Date(1_769_000_200_000),
      },
    ])
  })

  test('names its writer, what it answers, and each message once', () => {
    const contacts = [
      { wa_id: '1', profile: { name: 'No' } },
      { wa_id: '16505551234', profile: { name: 'Ada' } },
    ]
    const text = sent({ type: 'text', text: { body: 'x' }, context: { id: 'wamid.0' } })
    const { messages } = readInbound([{ metadata, contacts, messages: [text, text] }, {}])
    expect(messages).toMatchObject([{ contactName: 'Ada', answers: 'wamid.0' }])
  })

  test('may come without a number', () => {
    const text = { type: 'text', text: { body: 'x' }, from: undefined }
    const userId = 'US.13491208655302741918'
    const contacts = [{ user_id: userId, profile: { username: 'ada.l' } }]
    const hidden = sent({ ...text, from_user_id: userId })
    const heard = { from: null, userId, contactName: '@ada.l', content: { from_user_id: userId } }
    expect(readInbound([{ metadata, contacts, messages: [hidden] }]).messages).toMatchObject([
      heard,
    ])
    expect(read(sent({ ...text, from: userId })).messages).toMatchObject([{ from: null, userId }])
    const answer = sent({ ...text, context: { id: 'wamid.0' } })
    expect(read(answer).messages).toMatchObject([{ from: null, userId: null, answers: 'wamid.0' }])
  })

  test('is left out where it cannot be, and counted', () => {
    const text = { type: 'text', text: { body: 'x' } }
    const wrong = [null, 7, {}, sent({ ...text, from: 'x' }), sent({ ...text, id: '' }), sent({})]
    expect(read(...wrong)).toEqual({ messages: [], others: wrong.length })
    expect(readInbound([{ messages: [sent(text)] }])).toEqual({ messages: [], others: 1 })
    expect(read(sent({ ...text, timestamp: 'soon' })).messages).toMatchObject([{ sentAt: null }])
  })

  test('is bounded, and without what Postgres does not take', () => {
    const long = read(sent({ type: 'text', text: { body: 'x'.repeat(90_000) } })).messages[0]
    expect(long?.content).toEqual({ tooLarge: expect.any(Number) })
    const odd = read(sent({ type: 'order', order: { note: 'a\0b\ud800' } })).messages[0]
    expect(JSON.stringify(odd?.content)).toContain('ab\ufffd')
  })
})

test('a keyword is the word alone, in any case, with or without its accents', () => {
  const keywords = keywordsOf({ optOut: 'STOP, BAJA,cancelación', optIn: 'start' })
  for (const text of [
    ...['STOP', ' stop\n', 'Bája', 'CANCELACION', 'cancelación'],
    ...['Stop.', 'STOP!', '"stop"', '¡Baja!', 'Stop 🛑', '* stop *'],
  ]) {
    expect(meaningOf(text, keywords)).toBe('out')
  }
  expect(meaningOf('Start', keywords)).toBe('in')
  for (const text of ['', '!', 'stop it', 'non-stop', 'STOPP', 'x'.repeat(200)]) {
    expect(meaningOf(text, keywords)).toBeUndefined()
  }
  expect(meaningOf('start', keywordsOf({ optOut: 'STOP', optIn: '' }))).toBeUndefined()
})

test.each([
  ['+5511987654321', '+551187654321'],
  ['+5215512345678', '+525512345678'],
  ['+5491112345678', '+541112345678'],
])('%s is the same person as %s', (full, short) => {
  expect(formsOf(full)).toEqual([full, short])
  expect(formsOf(short)).toEqual([short, full])
  const digest = (recipient: string) => digestOf({ orgId: 'o', channel: 'whatsapp', recipient })
  expect(digest(full)).toEqual(digest(short))
  expect(digest(full)).not.toEqual(digest('+16505551234'))
})

test('a landline in Brazil and all other numbers have one form', () => {
  for (const number of ['+551132654321', '+16505551234']) expect(formsOf(number)).toEqual([number])
})

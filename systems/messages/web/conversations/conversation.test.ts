import { expect, test } from 'vitest'
import {
  kindName,
  parametersOf,
  sessionSentence,
  stepsOf,
  type ThreadItem,
} from './conversation.ts'

const at = (time: string) => new Date(`2026-03-05T${time}:00`).toISOString()
const now = Date.parse(at('14:00'))

test('a session says until when it is open, also when the server said so a while ago', () => {
  const session = { sessionOpen: true, sessionUntil: at('14:03') }
  expect(sessionSentence(session, now)).toMatch(/^Open until .*14:03|^Open until .*2:03/)
  expect(sessionSentence(session, Date.parse(at('14:04')))).toMatch(
    /^Closed since .*only templates$/,
  )
  const tomorrow = { sessionOpen: true, sessionUntil: new Date(now + 86_400_000).toISOString() }
  expect(sessionSentence(tomorrow, now)).toMatch(/6/)
  expect(sessionSentence({ ...session, sessionOpen: false }, now)).toMatch(/^Closed since/)
})

test('what the provider reported is in order, without what it left out', () => {
  const item = { sentAt: at('13:00'), deliveredAt: null, readAt: at('13:01') } as ThreadItem
  expect(stepsOf(item).map(({ word }) => word)).toEqual(['Sent', 'Read'])
})

test('kinds have names, and parameters are texts', () => {
  expect(kindName('text')).toBeUndefined()
  expect(kindName('image')).toBe('Picture')
  expect(kindName('hologram')).toBe('Message of the kind hologram')
  expect(parametersOf({ parameters: ['4711', 3] })).toEqual(['4711'])
  expect(parametersOf(null)).toEqual([])
})

test('a kind of message that every object has a property for is named like any other', () => {
  expect(kindName('constructor')).toBe('Message of the kind constructor')
})
